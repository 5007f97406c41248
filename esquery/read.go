package esquery

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

type syntaxError struct {
	message string
	tooDeep bool
}

func (e *syntaxError) Error() string { return e.message }

// readJSON parses a whole text. It keeps both members with the same key, and
// calls duplicate for the key unless it is nil. What engines could read as another
// text is an error: invalid UTF-8, and half a surrogate pair.
func readJSON(text string, maxDepth int, duplicate func(path []step, key string)) (value, error) {
	if !utf8.ValidString(text) {
		return value{}, &syntaxError{message: "it is not valid UTF-8"}
	}
	v, err := decodeJSON(text, maxDepth)
	if err != nil {
		return value{}, err
	}
	// Package encoding/json reads half a pair as U+FFFD.
	if strings.Contains(strings.ToLower(text), `\ud`) && strings.ContainsRune(string(v.appendTo(nil)), utf8.RuneError) {
		return value{}, &syntaxError{message: "a string contains half a surrogate pair"}
	}
	if duplicate != nil {
		duplicates(&v, nil, duplicate)
	}
	return v, nil
}

// decodeJSON parses a whole text. Half a surrogate pair is U+FFFD.
func decodeJSON(text string, maxDepth int) (value, error) {
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return value{}, &syntaxError{message: err.Error()}
	}
	tokens := json.NewDecoder(strings.NewReader(text))
	tokens.UseNumber()
	return readValue(tokens, maxDepth)
}

// readValue reads the tokens of a value.
func readValue(tokens *json.Decoder, maxDepth int) (v value, err error) {
	token, err := tokens.Token()
	if err != nil {
		return value{}, err
	}
	switch token := token.(type) {
	case bool:
		return value{kind: boolean, text: strconv.FormatBool(token)}, nil
	case json.Number:
		return value{kind: number, text: token.String()}, nil
	case string:
		return stringValue(token), nil
	case nil:
		return value{}, nil
	}
	if maxDepth == 0 {
		return value{}, &syntaxError{message: "it has too many levels", tooDeep: true}
	}
	v.kind = array
	if token == json.Delim('{') {
		v.kind = object
	}
	for tokens.More() {
		var key json.Token
		if v.kind == object {
			if key, err = tokens.Token(); err != nil {
				return value{}, err
			}
		}
		item, err := readValue(tokens, maxDepth-1)
		if err != nil {
			return value{}, err
		}
		if v.kind == object {
			v.members = append(v.members, member{key.(string), item})
		} else {
			v.items = append(v.items, item)
		}
	}
	_, err = tokens.Token() // the end
	return v, err
}

// duplicates calls report for each duplicate key of an object in v.
func duplicates(v *value, path []step, report func(path []step, key string)) {
	if len(v.members) > 1 {
		seen := make(map[string]bool, len(v.members))
		for i := range v.members {
			if key := v.members[i].key; seen[key] {
				report(path, key)
			} else {
				seen[key] = true
			}
		}
	}
	for i := range v.items {
		duplicates(&v.items[i], append(path, step{index: i}), report)
	}
	for i := range v.members {
		duplicates(&v.members[i].value, append(path, step{key: v.members[i].key, index: -1}), report)
	}
}
