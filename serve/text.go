package serve

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
)

// A text is the text of an answer while it is written.
type text struct {
	written   strings.Builder
	discarded bool // a text that is no part of it was written before
}

// token follows a piece of the answer.
func (t *text) token(token qed.Token) {
	switch {
	case token.Channel != qed.ChannelFinal:
	case token.Discard:
		t.discarded = t.discarded || t.written.Len() > 0
		t.written.Reset()
	default:
		t.written.WriteString(token.Content)
	}
}

// rest returns what is missing of the text of an answer.
func (t *text) rest(a qed.Answer) string {
	written := t.written.String()
	if rest, ok := strings.CutPrefix(a.Text, written); ok {
		return rest
	}
	return "\n\n" + a.Text
}

// objects returns the rows of a table as objects with the columns as names, in
// their order. A name that is used twice gets a number.
func objects(t *qed.Table) []json.RawMessage {
	if t == nil {
		return nil
	}
	used := map[string]bool{}
	names := lists.Map(t.Columns, func(c qed.Column) []byte { return quote(unique(c.Name, used)) })
	rows := make([]json.RawMessage, 0, len(t.Rows))
	for _, row := range t.Rows {
		object := []byte{'{'}
		for i, cell := range row {
			if i > 0 {
				object = append(object, ',')
			}
			object = append(append(object, names[i]...), ':')
			value, err := json.Marshal(cell)
			if err != nil { // not reached: cells are plain values
				value = []byte("null")
			}
			object = append(object, value...)
		}
		rows = append(rows, append(object, '}'))
	}
	return rows
}

func unique(name string, used map[string]bool) string {
	own := name
	for n := 2; used[own]; n++ {
		own = name + "_" + strconv.Itoa(n)
	}
	used[own] = true
	return own
}

func quote(text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // not reached
		return []byte(`""`)
	}
	return quoted
}

// jsonOr returns raw if it is JSON, and otherwise its text as a JSON string.
func jsonOr(raw string) json.RawMessage {
	if json.Valid([]byte(raw)) {
		return json.RawMessage(raw)
	}
	return quote(raw)
}
