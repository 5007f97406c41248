package todoagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
)

// resultMember is the only member of an object that refers to the result of an
// earlier task: {"$result": "key/pointer"}.
const resultMember = "$result"

// reference returns the key and the JSON pointer of a value that refers to a
// result.
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

// references returns the keys of the tasks that arguments refer to, sorted, each
// once.
func references(arguments json.RawMessage) []string {
	if !bytes.Contains(arguments, []byte(resultMember)) {
		return nil
	}
	v, err := strictjson.Any(arguments)
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

// hasRows reports whether a value contains a [finding.RowsRef] that is written
// out: the origin of such rows is not known.
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

// resolve returns arguments with the results in place of the references to them.
func resolve(arguments json.RawMessage, result func(key string) (json.RawMessage, error)) (json.RawMessage, error) {
	if !bytes.Contains(arguments, []byte(resultMember)) {
		return arguments, nil
	}
	v, err := strictjson.Any(arguments)
	if err != nil {
		return nil, err
	}
	if v, err = resolveValue(v, result); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func resolveValue(v any, result func(key string) (json.RawMessage, error)) (any, error) {
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
			if v[name], err = resolveValue(e, result); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, e := range v {
			if v[i], err = resolveValue(e, result); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// member returns the value at a JSON pointer of a task's result.
func member(key, pointer string, raw json.RawMessage) (any, error) {
	if pointer == "" {
		return raw, nil
	}
	v, err := strictjson.Any(raw)
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
			return nil, fmt.Errorf("the result of %s has no %s: it has %s", key, pointer, prompt.Clip(has, 300))
		}
		v = next
	}
	return v, nil
}

// checkReferences returns an error if the arguments of a task refer to results of
// tasks that do not come before it, or to members that a result cannot have, or
// contain rows that are written out.
func (a *agent) checkReferences(l *plan, key string, arguments json.RawMessage) error {
	keys := l.keys()
	at := slices.Index(keys, key)
	v, err := strictjson.Any(arguments)
	if err != nil {
		return err
	}
	var problems []error
	if hasRows(v) {
		problems = append(problems, fmt.Errorf(
			`task %s: rows must be the result of an earlier task, {"$result": "KEY/rows"}, and cannot be written out`,
			key))
	}
	eachReference(v, func(needs, pointer string) {
		i := slices.Index(keys, needs)
		if i < 0 || i >= at {
			problems = append(problems, fmt.Errorf(
				"task %s: its arguments refer to the result of %q, which is not a task before it",
				key, prompt.Clip(needs, 100)))
			return
		}
		tool, ok := a.planTools[l.Tasks[i].Tool]
		if !ok || tool.returns == nil || pointer == "" {
			return
		}
		name, _, _ := strings.Cut(pointer[1:], "/")
		if !slices.Contains(tool.returns, name) {
			problems = append(problems, fmt.Errorf(
				"task %s: the result of %s has no %q: %s returns %s",
				key, needs, prompt.Clip(name, 100), tool.Name, strings.Join(tool.returns, ", ")))
		}
	})
	return errors.Join(problems...)
}
