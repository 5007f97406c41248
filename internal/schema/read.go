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

// maxNesting bounds how deep JSON may be nested: a checker's error repeats every level above it.
const maxNesting = 100

// parse reads raw as one JSON value. Numbers keep their digits.
func parse(raw []byte) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, problem("", "is empty, want a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, problem("", "is JSON that ends too early")
		}
		return nil, problem("", "is not JSON: "+clip(err.Error()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, problem("", "has something after the JSON value")
	}
	if deeper(v, maxNesting) {
		return nil, problem("", fmt.Sprintf("is nested more than %d deep", maxNesting))
	}
	return v, nil
}

// finish writes v, which parse returned, and changes its numbers to those of the checker.
func finish(v any) (any, json.RawMessage, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, nil, unreadable(err)
	}
	if v, err = plainNumbers(v, ""); err != nil {
		return nil, nil, err
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

// plainNumbers returns v with its numbers as the checker knows them. The error is for a number out of range.
func plainNumbers(v any, path string) (any, error) {
	var err error
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if v[name], err = plainNumbers(e, path+pointer(name)); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, e := range v {
			if v[i], err = plainNumbers(e, path+"/"+strconv.Itoa(i)); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err != nil || math.IsInf(f, 0) {
			return nil, problem(path, "is a number out of range")
		}
		return f, nil
	}
	return v, nil
}
