package resolve

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/schema"
)

// knownNames returns a sentence that lists names, for the description of a tool.
// It begins with intro. Without names it is empty.
func knownNames(intro string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	shown := lists.Map(names[:min(len(names), maxListed)], oneLine)
	text := intro + strings.Join(shown, ", ")
	if len(names) > maxListed {
		text += " and others"
	}
	return text + "."
}

const maxEnum = 100

// withEnum returns a schema in which the field at a path is one of values. The enum guides
// models; the tools accept other values, because the catalog may have changed. The schema
// is returned unchanged if there are too many values, or one that is longer than a line.
func withEnum(text json.RawMessage, values []string, path string) json.RawMessage {
	odd := func(v string) bool { return v == "" || oneLine(v) != v }
	if len(values) > maxEnum || slices.ContainsFunc(values, odd) {
		return text
	}
	if with, err := (schema.Choices{path: {Texts: values}}).With(text); err == nil {
		return with
	}
	return text
}
