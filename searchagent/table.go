package searchagent

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/strictjson"
)

// columns returns the fields that a table of documents shows: those that the model
// chose and that exist, or the most important ones.
func columns(docs []document, show []string, most int) []string {
	sources := lists.Map(docs, func(d document) any { return decoded(d.Source) })
	var chosen []string
	for _, field := range show {
		if at := present(sources, field); at != "" && !slices.Contains(chosen, at) && len(chosen) < most {
			chosen = append(chosen, at)
		}
	}
	if len(chosen) == 0 {
		chosen = important(sources, most)
	}
	if len(chosen) == 0 {
		chosen = []string{"_id"}
	}
	return chosen
}

// present returns the path at which documents have a field: its own path, or that of
// the field around a multi-field, such as "name" for "name.keyword". It returns "" if
// no document has it.
func present(sources []any, field string) string {
	if field == "_id" {
		return field
	}
	for path := field; path != ""; path = parent(path) {
		for _, source := range sources {
			for _, v := range at(source, path) {
				if _, within := v.(map[string]any); !within || path == field {
					return path
				}
			}
		}
	}
	return ""
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// important returns the fields that a reader looks at first: names and titles, then
// the fields that most documents have.
func important(sources []any, most int) []string {
	seen := map[string]int{}
	for _, source := range sources {
		for path := range leaves(source) {
			seen[path]++
		}
	}
	fields := slices.SortedFunc(maps.Keys(seen), func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), seen[b]-seen[a], cmp.Compare(a, b))
	})
	return fields[:min(len(fields), most)]
}

// rank is lower for fields that name a document.
func rank(path string) int {
	name := strings.ToLower(strings.ReplaceAll(path[strings.LastIndexByte(path, '.')+1:], "_", ""))
	if i := slices.Index(titles, name); i >= 0 {
		return i
	}
	return len(titles)
}

var titles = []string{"name", "title", "titel", "subject", "betreff", "filename", "dateiname", "label", "displayname", "bezeichnung"}

// leaves returns the values of a document by their paths. For a path with several
// values it is the first one.
func leaves(source any) map[string]any {
	out := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				if path != "" {
					key = path + "." + key
				}
				walk(key, member)
			}
		case []any:
			for _, item := range v {
				walk(path, item)
			}
		case nil:
		default:
			if _, taken := out[path]; !taken && path != "" {
				out[path] = v
			}
		}
	}
	walk("", source)
	return out
}

// at returns the values of a document at a path. Objects can be nested or written with
// dots: {"a":{"b":1}}, {"a.b":1}, {"a":[{"b":1},{"b":2}]}.
func at(v any, path string) []any {
	switch v := v.(type) {
	case []any:
		var out []any
		for _, item := range v {
			out = append(out, at(item, path)...)
		}
		return out
	case map[string]any:
		if path == "" {
			return []any{v}
		}
		var out []any
		for end := 0; end < len(path); end++ {
			next := strings.IndexByte(path[end:], '.')
			if end += next; next < 0 {
				end = len(path)
			}
			member, ok := v[path[:end]]
			if ok {
				out = append(out, at(member, strings.TrimPrefix(path[end:], "."))...)
			}
		}
		return out
	case nil:
		return nil
	}
	if path == "" {
		return []any{v}
	}
	return nil
}

// table returns documents as a table. The columns have the types of the mapping.
func (rd *reader) table(index string, docs []document, fields []string) *qed.Table {
	t := &qed.Table{}
	for _, field := range fields {
		typ := rd.fieldType(index, field)
		if field == "_id" {
			typ = "keyword"
		}
		t.Columns = append(t.Columns, qed.Column{Name: field, Type: typ})
	}
	for _, d := range docs {
		source := decoded(d.Source)
		row := make([]any, len(fields))
		for i, field := range fields {
			if field == "_id" {
				row[i] = d.ID
				continue
			}
			row[i] = cell(at(source, field))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// counted returns a number of documents as a table.
func counted(total int64) *qed.Table {
	return &qed.Table{Columns: []qed.Column{{Name: countColumn, Type: countType}}, Rows: [][]any{{total}}}
}

// cell returns the values of a field as a cell: one value, or several as JSON.
func cell(values []any) any {
	switch len(values) {
	case 0:
		return nil
	case 1:
		return strictjson.Cell(values[0])
	}
	return strictjson.Cell(values)
}

// keep stores the table in the task.
func (t *task) keep(ctx context.Context, table *qed.Table) (err error) {
	t.Table, t.Handle, err = answertext.SaveRows(ctx, table)
	t.Query.Handle = t.Handle
	return err
}

// rows returns all rows of t.Table, or nil if nothing was found.
func (t *task) rows(ctx context.Context) (*qed.Table, error) {
	return answertext.LoadRows(ctx, t.Table, t.Handle)
}
