package query

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// sources are the sources of a tool.
type sources struct {
	tool string // for errors
	list []Source
}

func newSources(tool string, list []Source) (sources, error) {
	if len(list) == 0 {
		return sources{}, fmt.Errorf("query: %s has no sources", tool)
	}
	seen := map[string]bool{}
	for i, s := range list {
		if s == nil {
			return sources{}, fmt.Errorf("query: %s: source %d is nil", tool, i+1)
		}
		name := s.Name()
		switch {
		case strings.TrimSpace(name) == "" || len(name) > maxName:
			return sources{}, fmt.Errorf("query: %s: the name of source %d is empty or has more than %d bytes",
				tool, i+1, maxName)
		case s.Language() == "":
			return sources{}, fmt.Errorf("query: %s: source %s has no language", tool, prompt.Quote(name))
		case seen[name]:
			return sources{}, fmt.Errorf("query: %s: two sources have the name %s", tool, prompt.Quote(name))
		}
		seen[name] = true
	}
	return sources{tool, slices.Clone(list)}, nil
}

const (
	maxName  = 200
	maxAbout = 1000
)

func (s sources) names() []string {
	return lists.Map(s.list, func(source Source) string { return source.Name() })
}

// find returns the source of a name. The name may be empty if there is only one.
func (s sources) find(name string) (Source, error) {
	if name == "" && len(s.list) == 1 {
		return s.list[0], nil
	}
	names := s.names()
	if i := slices.Index(names, name); i >= 0 {
		return s.list[i], nil
	}
	all := "its sources are " + strings.Join(names, ", ")
	if name == "" {
		return nil, fmt.Errorf("%s needs a source: %s", s.tool, all)
	}
	if near := refusal.Nearest(name, names, 1); len(near) > 0 {
		all = "did you mean " + near[0] + "? " + all
	}
	return nil, fmt.Errorf("%s has no source %s; %s", s.tool, prompt.Quote(prompt.Clip(name, maxName)), all)
}

// describe lists the sources in the schema of the tool's arguments, with their
// descriptions.
func (s sources) describe(t *qed.Tool) error {
	var input jsonschema.Schema
	if err := json.Unmarshal(t.Input, &input); err != nil {
		return fmt.Errorf("query: %s: %w", s.tool, err)
	}
	lines := make([]string, len(s.list))
	property := input.Properties["source"]
	for i, source := range s.list {
		property.Enum = append(property.Enum, source.Name())
		lines[i] = source.Name() + " (" + source.Language() + ")"
		if text := prompt.Clip(prompt.OneLine(source.About()), maxAbout); text != "" {
			lines[i] += ": " + text
		}
	}
	property.Description += ": " + strings.Join(lines, "; ")
	if len(s.list) > 1 {
		input.Required = append([]string{"source"}, input.Required...)
	}
	input.PropertyOrder = []string{"source"}
	text, err := json.Marshal(&input)
	if err != nil {
		return fmt.Errorf("query: %s: %w", s.tool, err)
	}
	t.Input = text
	return nil
}
