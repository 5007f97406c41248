package todoagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// resultMember is the one member of an object that stands for the result of an earlier task.
const resultMember = "$result"

// reference returns the key and the JSON pointer of a value that stands for a result.
func reference(v any) (key, pointer string, ok bool) {
	object, _ := v.(map[string]any)
	text, ok := object[resultMember].(string)
	if !ok || len(object) != 1 {
		return "", "", false
	}
	key, pointer, _ = strings.Cut(text, "/")
	if len(key) < len(text) {
		pointer = "/" + pointer
	}
	return key, pointer, true
}

// references returns the keys of the tasks whose results stand in arguments, sorted, each once.
func references(arguments json.RawMessage) []string {
	if !bytes.Contains(arguments, []byte(resultMember)) {
		return nil
	}
	v, err := decodeAny(arguments)
	if err != nil {
		return nil
	}
	keys := map[string]bool{}
	eachReference(v, func(key, _ string) { keys[key] = true })
	return slices.Sorted(maps.Keys(keys))
}

func eachReference(v any, visit func(key, pointer string)) {
	if key, pointer, ok := reference(v); ok {
		visit(key, pointer)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			eachReference(e, visit)
		}
	case []any:
		for _, e := range v {
			eachReference(e, visit)
		}
	}
}

// hasRows reports whether a value has [RowsRef] that are written out: nobody knows where they come from.
func hasRows(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		sample, _ := v["sample"].(map[string]any)
		if _, counted := v["count"]; counted && sample["columns"] != nil {
			return true
		}
		for _, e := range v {
			if hasRows(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasRows)
	}
	return false
}

// filled returns arguments with the results in the place of what stands for them.
func filled(arguments json.RawMessage, result func(key string) (json.RawMessage, error)) (json.RawMessage, error) {
	if !bytes.Contains(arguments, []byte(resultMember)) {
		return arguments, nil
	}
	v, err := decodeAny(arguments)
	if err != nil {
		return nil, err
	}
	if v, err = fill(v, result); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func fill(v any, result func(key string) (json.RawMessage, error)) (any, error) {
	if key, pointer, ok := reference(v); ok {
		raw, err := result(key)
		if err != nil {
			return nil, err
		}
		return member(key, pointer, raw)
	}
	var err error
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if v[name], err = fill(e, result); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, e := range v {
			if v[i], err = fill(e, result); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// member returns what is at a JSON pointer of a task's result.
func member(key, pointer string, raw json.RawMessage) (any, error) {
	if pointer == "" {
		return raw, nil
	}
	v, err := decodeAny(raw)
	if err != nil {
		return nil, err
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		name := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		var next any
		found := false
		has := "no members"
		switch v := v.(type) {
		case map[string]any:
			next, found = v[name]
			if len(v) > 0 {
				has = "only " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
			}
		case []any:
			has = fmt.Sprintf("%d items", len(v))
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) && strconv.Itoa(i) == name {
				next, found = v[i], true
			}
		}
		if !found {
			return nil, fmt.Errorf("the result of %s has nothing at %s: there it has %s", key, pointer, prompt.Clip(has, 300))
		}
		v = next
	}
	return v, nil
}

// decodeAny reads one JSON value. Numbers keep their digits.
func decodeAny(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}
