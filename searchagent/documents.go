package searchagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
)

// document is a document that was found, without hidden fields.
type document struct {
	Index  string          `json:"_index"`
	ID     string          `json:"_id"`
	Source json.RawMessage `json:"_source,omitempty"`
}

// documents returns hits without the fields that the search hides, whatever the engine
// returned. If the search asked for fields instead of the source, Source has them.
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

// found has documents, or the handle under which they are saved with the run.
type found struct {
	Docs   []document
	Handle string
}

// keep stores the documents, up to most bytes in all but at least the first least
// documents.
func (f *found) keep(ctx context.Context, docs []document, most, least int) error {
	*f = found{}
	size := 0
	for i, d := range docs {
		if size += len(d.Source); i >= least && size > most {
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

// maxHeldChoices is how many bytes of documents are kept that the user can choose
// from, beyond the first maxChoices.
const maxHeldChoices = 1 << 20

// maxHeld is how many bytes of documents a state carries from node to node if they can
// be saved with the run.
const maxHeld = 4096

func (f *found) documents(ctx context.Context) ([]document, error) {
	if f.Handle == "" {
		return f.Docs, nil
	}
	return qed.Load[[]document](ctx, f.Handle)
}

// describeResult returns for a prompt what a task found: its documents, up to
// MaxDocumentBytes, or its figures, with a name for each row. It also returns the
// documents, and the rows of the figures.
func (a *agent) describeResult(ctx context.Context, t *task) (result promptTask, docs []document, rows *qed.Table, err error) {
	result = promptTask{Task: t.Description, Key: t.Key, Total: t.Total}
	if docs, err = t.Found.documents(ctx); err != nil {
		return result, nil, nil, err
	}
	if t.Figures || len(docs) == 0 {
		if rows, err = t.rows(ctx); err != nil {
			return result, nil, nil, err
		}
		result.Figures, result.Rows = figures.Rows(rows, len(rows.Rows), a.opt.MaxDocumentBytes)
		result.More = result.Rows < len(rows.Rows) || rows.Truncated
	}
	switch {
	case len(docs) == 0:
		return result, nil, rows, nil
	case t.Chosen != "":
		result.Total = 1
	case t.Sized:
		result.Total = int64(t.Query.Rows)
	}
	result.Documents, result.Shown, result.Cut = lines(docs, a.opt.MaxDocumentBytes)
	return result, docs, rows, nil
}

// lines returns documents for a prompt as JSON, one per line, up to about size bytes. <
// is escaped, so that no document can end a tag around it. If the first document is
// too long, its long values are cut.
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

// cut returns a document whose values are cut until it fits, or only its id if it
// never fits.
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

// shorten cuts the strings of a JSON value after most bytes, and its arrays after a
// tenth of that number of items.
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

// decoded returns a JSON value with its numbers as json.Number, or nil if raw is not
// JSON.
func decoded(raw json.RawMessage) any {
	v, _ := strictjson.Any(raw)
	return v
}
