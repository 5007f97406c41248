package llm

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// extract finds the one JSON object of a reply. Around it there may be prose, a code fence, and a model's thoughts
// before it. It takes time linear in the reply.
//
// A reply that is JSON of another kind is returned as it is, for the schema to say what is wrong with it.
// It never guesses: two objects, an object that is malformed or cut off, and an object within something that is no
// JSON are errors, because a piece of an answer can look like another answer.
func extract(reply string) (json.RawMessage, error) {
	text := strings.TrimSpace(strings.TrimPrefix(reply, "\ufeff"))
	if thoughts, ok := strings.CutPrefix(text, "<think>"); ok {
		_, rest, closed := strings.Cut(thoughts, "</think>")
		if !closed {
			return nil, errors.New("it has thoughts that never end, and no JSON object")
		}
		text = strings.TrimSpace(rest)
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}

	var found json.RawMessage
	open := 0 // brackets of the prose that are not closed
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{' && beginsObject(text[i+1:]):
			object, err := firstValue(text[i:])
			switch {
			case err != nil:
				return nil, err
			case open > 0:
				return nil, errors.New("its JSON object stands within something that is not JSON")
			case found != nil:
				return nil, errors.New("it holds more than one JSON object")
			}
			found = object
			i += len(object) - 1
		case c == '{' || c == '[':
			open++
		case (c == '}' || c == ']') && open > 0:
			open--
		}
	}
	if found == nil {
		return nil, errors.New("it holds no JSON object")
	}
	return found, nil
}

// beginsObject reports whether what follows a brace makes it the beginning of a JSON object, and not a brace in prose.
func beginsObject(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 256)], " \t\r\n")
	return rest != "" && (rest[0] == '"' || rest[0] == '}')
}

func firstValue(text string) (json.RawMessage, error) {
	var v json.RawMessage
	switch err := json.NewDecoder(strings.NewReader(text)).Decode(&v); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("its JSON object ends too early")
	case err != nil:
		return nil, errors.New("its JSON object is malformed: " + err.Error())
	}
	return v, nil
}
