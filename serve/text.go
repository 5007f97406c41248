package serve

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
)

// A text is the text of an answer while it is written.
type text struct{ written strings.Builder }

// token returns the piece of the answer that an event has, or "".
func (t *text) token(e qed.Event) string {
	token, ok := e.Data.(qed.Token)
	if !ok || token.Channel != qed.ChannelFinal {
		return ""
	}
	t.written.WriteString(token.Content)
	return token.Content
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
	names := make([][]byte, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = quote(unique(c.Name, used))
	}
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
