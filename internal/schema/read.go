package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	checker "github.com/google/jsonschema-go/jsonschema"
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

// Read reads raw as one JSON value, as the checker knows it, and writes it again with each name of an object once: what is
// checked is what everybody reads then. Its error is an [*Error].
func Read(raw []byte) (v any, text json.RawMessage, err error) {
	if v, err = parse(raw); err != nil {
		return nil, nil, err
	}
	return finish(v)
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

// dropNulls removes the optional properties of v that are null where their schema wants something else:
// models that must name every property write null for the ones they leave out.
func dropNulls(root, s *checker.Schema, v any) {
	s = target(root, s)
	for _, alternatives := range [][]*checker.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, sub := range alternatives {
			dropNulls(root, sub, v)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			sub := s.Properties[name]
			switch {
			case sub == nil && s.AdditionalProperties != nil:
				dropNulls(root, s.AdditionalProperties, e)
			case sub == nil:
			case e == nil && !required(s, name) && !takesNull(root, sub):
				delete(v, name)
			default:
				dropNulls(root, sub, e)
			}
		}
	case []any:
		if s.Items != nil {
			for _, e := range v {
				dropNulls(root, s.Items, e)
			}
		}
	}
}

func required(s *checker.Schema, name string) bool {
	for _, r := range s.Required {
		if r == name {
			return true
		}
	}
	return false
}

func takesNull(root, s *checker.Schema) bool {
	s = target(root, s)
	for _, alternatives := range [][]*checker.Schema{s.AnyOf, s.OneOf} {
		for _, sub := range alternatives {
			if takesNull(root, sub) {
				return true
			}
		}
	}
	for _, t := range s.Types {
		if t == "null" {
			return true
		}
	}
	return s.Type == "null" || s.Type == "" && s.Types == nil && s.Enum == nil && s.Const == nil &&
		s.AnyOf == nil && s.OneOf == nil && s.AllOf == nil
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
