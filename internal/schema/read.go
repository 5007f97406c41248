package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxNesting limits how deep JSON may be nested. The text of a checker's error
// repeats every level.
const maxNesting = 100

// parse decodes raw, which must be one JSON value. Numbers keep their digits.
func parse(raw []byte) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, refuse(ErrInvalidJSON, "", "is empty, want a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, refuse(ErrInvalidJSON, "", "is cut off")
		}
		return nil, refuse(ErrInvalidJSON, "", "is malformed: "+clip(err.Error()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse(ErrInvalidJSON, "", "is followed by something else")
	}
	if deeper(v, maxNesting) {
		return nil, refuse(ErrInvalidJSON, "", fmt.Sprintf("is nested more than %d levels deep", maxNesting))
	}
	return v, nil
}

// finish encodes v, which parse returned, and converts its numbers to the types
// that the checker expects.
func finish(v any) (any, json.RawMessage, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, nil, decodeError(err)
	}
	v, path, ok := plainNumbers(v)
	if !ok {
		return nil, nil, refuse(ErrInvalidJSON, path, "is a number out of range")
	}
	return v, text, nil
}

func deeper(v any, levels int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if levels == 0 || deeper(e, levels-1) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if levels == 0 || deeper(e, levels-1) {
				return true
			}
		}
	}
	return false
}

// plainNumbers converts the numbers in v to int64 and float64. If one is out of
// range, it reports false and returns the path to it.
func plainNumbers(v any) (plain any, path string, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if v[name], path, ok = plainNumbers(e); !ok {
				return nil, pointer(name) + path, false
			}
		}
	case []any:
		for i, e := range v {
			if v[i], path, ok = plainNumbers(e); !ok {
				return nil, "/" + strconv.Itoa(i) + path, false
			}
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, "", true
		}
		f, err := v.Float64()
		return f, "", err == nil && !math.IsInf(f, 0)
	}
	return v, "", true
}
