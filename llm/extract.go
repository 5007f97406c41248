package llm

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/qedkit/qed/internal/replytext"
)

// extract returns the one JSON object of a reply. The object may be surrounded by
// prose, be inside a code fence, and follow thoughts. The time is linear
// in the length of the reply.
//
// A reply that is another JSON value is returned unchanged: the check against
// the schema explains better what is wrong with it. extract never guesses: two
// objects, a malformed or incomplete object, and an object inside text in
// brackets that is not JSON are errors, because a part of an answer can look
// like a different answer. The errors are written for the model.
func extract(reply string) (json.RawMessage, error) {
	text, thoughts := replytext.Split(strings.TrimPrefix(reply, "\ufeff"))
	if text = strings.TrimSpace(text); text == "" && thoughts != "" {
		return nil, errors.New("it has thoughts, and no JSON object after them")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}

	var found json.RawMessage
	open := 0 // brackets in the prose that are not closed yet
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{' && beginsObject(text[i+1:]):
			object, err := firstValue(text[i:])
			switch {
			case err != nil:
				return nil, err
			case open > 0:
				return nil, errors.New("the JSON object is inside text that is not JSON")
			case found != nil:
				return nil, errors.New("it has more than one JSON object")
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
		return nil, errors.New("it has no JSON object")
	}
	return found, nil
}

// beginsObject reports whether a brace that rest follows begins a JSON object. If
// not, it is a brace in prose.
func beginsObject(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 256)], " \t\r\n")
	return rest != "" && (rest[0] == '"' || rest[0] == '}')
}

func firstValue(text string) (json.RawMessage, error) {
	var v json.RawMessage
	switch err := json.NewDecoder(strings.NewReader(text)).Decode(&v); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the JSON object is cut off")
	case err != nil:
		return nil, errors.New("the JSON object is malformed: " + err.Error())
	}
	return v, nil
}
