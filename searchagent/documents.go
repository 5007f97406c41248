package searchagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/prompt"
)

// document is one that was found, without what is hidden.
type document struct {
	Index  string          `json:"_index"`
	ID     string          `json:"_id"`
	Source json.RawMessage `json:"_source,omitempty"`
}

// documents takes out of hits what the search hides, whatever the engine returned.
// Where the search asked for fields in place of the source, they are it.
func documents(search *esquery.Search, all []esquery.Hit) ([]document, error) {
	docs := make([]document, len(all))
	for i, h := range all {
		docs[i] = document{Index: h.Index, ID: h.ID, Source: h.Source}
		if len(h.Source) == 0 {
			docs[i].Source = h.Fields
		}
		if len(docs[i].Source) == 0 {
			continue
		}
		var err error
		if docs[i].Source, err = search.Redact(docs[i].Source); err != nil {
			return nil, fmt.Errorf("searchagent: a document of index %s cannot be read: %w", prompt.Quote(h.Index), err)
		}
	}
	return docs, nil
}

// found has documents, or the handle under which the run keeps them.
type found struct {
	Docs   []document
	Handle string
}

// keep keeps at least one of the documents, and no more than come to most bytes
// together; all of them where most is 0.
func (f *found) keep(ctx context.Context, docs []document, most int) error {
	*f = found{}
	size := 0
	for i, d := range docs {
		if size += len(d.Source); i > 0 && most > 0 && size > most {
			docs = docs[:i]
			break
		}
	}
	if size > maxHeld {
		handle, err := qed.Save(ctx, docs)
		if err != nil && !errors.Is(err, qed.ErrTooLarge) {
			return err
		}
		if handle != "" {
			f.Handle = handle
			return nil
		}
	}
	f.Docs = docs
	return nil
}

// maxHeld is how many bytes of documents a state carries from node to node, where the
// run has another place for them.
const maxHeld = 4096

func (f *found) documents(ctx context.Context) ([]document, error) {
	if f.Handle == "" {
		return f.Docs, nil
	}
	return qed.Load[[]document](ctx, f.Handle)
}

// tell describes for a prompt what a step found: its documents in full, as far as
// there is room for them, or its figures.
func (a *agent) tell(ctx context.Context, st *step) (PromptStep, error) {
	told := PromptStep{Task: st.Task, Total: st.Total}
	docs, err := st.Found.documents(ctx)
	if err != nil {
		return told, err
	}
	if st.Figures || len(docs) == 0 {
		table, err := st.rows(ctx)
		if err != nil {
			return told, err
		}
		told.Figures, told.Rows = table.PromptLines(len(table.Rows), a.opt.MaxDocumentBytes)
		told.More = told.Rows < len(table.Rows) || table.Truncated
	}
	switch {
	case len(docs) == 0:
		return told, nil
	case st.Chosen != "":
		told.Total = 1
	case st.Sized:
		told.Total = int64(st.Query.Rows)
	}
	told.Documents, told.Shown, told.Cut = lines(docs, a.opt.MaxDocumentBytes)
	return told, nil
}

// lines writes documents as JSON, one a line, up to about size bytes: data for a
// prompt. As < is escaped, no document can end a tag around it. Where not even the
// first one fits, its long values are cut.
func lines(docs []document, size int) (text string, shown int, cut bool) {
	var b strings.Builder
	for i, d := range docs {
		line := d.line()
		if i == 0 && len(line) > size {
			line, cut = d.cut(size), true
		}
		if i > 0 && b.Len()+len(line) > size {
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		shown++
	}
	return b.String(), shown, cut
}

func (d document) line() string {
	line, err := json.Marshal(struct {
		ID     string          `json:"_id"`
		Source json.RawMessage `json:"_source,omitempty"`
	}{d.ID, d.Source})
	if err != nil {
		return "{}" // not reached: the source was read before
	}
	return string(line)
}

// cut writes a document that is too long with its values cut, more and more until it
// fits, and its id alone where it does not.
func (d document) cut(size int) string {
	value := decoded(d.Source)
	for _, most := range []int{4000, 1000, 200, 50} {
		short, err := json.Marshal(shorten(value, most))
		if err != nil {
			break
		}
		if line := (document{ID: d.ID, Source: short}).line(); len(line) <= size {
			return line
		}
	}
	return document{ID: d.ID}.line()
}

// shorten cuts the strings of a JSON value after at most bytes, and its arrays after
// as many tenths of items.
func shorten(v any, most int) any {
	switch v := v.(type) {
	case string:
		return prompt.Clip(v, most)
	case []any:
		out := make([]any, min(len(v), max(most/10, 1)))
		for i := range out {
			out[i] = shorten(v[i], most)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, member := range v {
			out[key] = shorten(member, most)
		}
		return out
	}
	return v
}

// decoded reads JSON with its numbers as they are written; nil where it is none.
func decoded(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
