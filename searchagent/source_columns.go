package searchagent

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
)

// documentColumns returns the fields that a table of documents shows: in the order in
// which the body asks for them, or the most important ones first.
func documentColumns(docs []document, body json.RawMessage, most int) []string {
	fields := important(lists.Map(docs, func(d document) any { return decoded(d.Source) }), maxOption)
	if asked := askedFor(body); len(asked) > 0 {
		slices.SortStableFunc(fields, func(a, b string) int { return position(asked, a) - position(asked, b) })
	}
	if len(fields) == 0 {
		return []string{"_id"}
	}
	return fields[:min(len(fields), most)]
}

// position returns the index of the first name or pattern that matches field.
func position(asked []string, field string) int {
	i := slices.IndexFunc(asked, func(name string) bool {
		matches, _ := path.Match(name, field)
		return matches || strings.HasPrefix(field, name+".")
	})
	if i < 0 {
		return len(asked)
	}
	return i
}

// askedFor returns the names and patterns of fields that a body asks for.
func askedFor(body json.RawMessage) []string {
	members, _ := decoded(body).(map[string]any)
	var names []string
	for _, key := range []string{"_source", "fields"} {
		asks := members[key]
		if object, ok := asks.(map[string]any); ok {
			asks = object["includes"]
		}
		for _, item := range items(asks) {
			if object, ok := item.(map[string]any); ok {
				item = object["field"]
			}
			if name, ok := item.(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// items returns the items of an array, or a value that is used instead of an array.
func items(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}
