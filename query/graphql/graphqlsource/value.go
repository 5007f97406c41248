package graphqlsource

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/qedkit/qed/internal/strictjson"
)

var errShape = errors.New("graphqlsource: the response does not have the form of the query")

func isList(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '['
}

func anyList(raw []json.RawMessage) bool {
	return slices.ContainsFunc(raw, isList)
}

// asObject decodes an object. Null is nil.
func asObject(raw json.RawMessage) (object, error) {
	if strictjson.Absent(raw) {
		return nil, nil
	}
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil, errShape
	}
	return o, nil
}

func asList(raw json.RawMessage) ([]json.RawMessage, error) {
	if strictjson.Absent(raw) {
		return nil, nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, errShape
	}
	return items, nil
}

// objects decodes the items of a list. It leaves out null items, which failed or may
// not be seen, and flattens lists in the list.
func objects(items []json.RawMessage) ([]object, error) {
	var out []object
	for _, raw := range items {
		if isList(raw) {
			inner, err := asList(raw)
			if err != nil {
				return nil, err
			}
			more, err := objects(inner)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		o, err := asObject(raw)
		if err != nil {
			return nil, err
		}
		if o != nil {
			out = append(out, o)
		}
	}
	return out, nil
}

// objectsAt decodes objects. Null is nil.
func objectsAt(raw []json.RawMessage) ([]object, error) {
	out := make([]object, len(raw))
	for i, r := range raw {
		var err error
		if out[i], err = asObject(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cell returns the cell of a table for a value. Lists and objects are JSON texts.
func cell(raw json.RawMessage) any {
	raw = bytes.TrimSpace(raw)
	if strictjson.Absent(raw) {
		return nil
	}
	switch raw[0] {
	case 't', 'f':
		return raw[0] == 't'
	case '"', '[', '{':
		return strictjson.Text(raw)
	}
	return strictjson.Cell(json.Number(raw))
}
