package sqlagent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/qedkit/qed"
)

var describeText = template.Must(template.New("describe.tmpl").Funcs(qed.PromptFuncs()).ParseFS(promptFiles, "prompts/describe.tmpl"))

// describeData is what the text about a source is given.
type describeData struct {
	Name, Dialect, About string
	MaxRows              int

	Joins, Choices []string // of the tables that share words with the request
	Relationships  []string
	Tables         []PromptTable
	Others         []PromptTable // further ones, in short
	More           []string      // the names of those for which there is no room
}

// Describe says what there is for a request: in full the tables that share words with
// it and those that connect them, or else some; the others in short.
func (s *source) Describe(ctx context.Context, request string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	data := describeData{Name: s.name, Dialect: s.guard.Dialect().Name(), About: s.about, MaxRows: s.opt.MaxRows}
	tables := s.catalog.nearest(request, s.opt.MaxTables, false)
	if len(tables) == 0 {
		tables = s.catalog.nearest(request, s.opt.MaxTables, true)
	} else {
		plans, err := s.connect(ctx, tables)
		if err != nil {
			return "", fmt.Errorf("sqlagent: %w", err)
		}
		if len(plans) > 0 {
			data.Joins, data.Choices = joinLines(plans[0]), s.ties(plans)
			tables = s.joined(tables, plans)
		}
	}
	data.Relationships = s.lines(s.relationshipsAmong(tables, s.opt.MaxRelationshipsInPrompt, true))
	for _, name := range tables {
		t := s.catalog.describe(name, s.opt.MaxColumnsInSchema, true)
		if s.opt.SampleRows > 0 {
			t.Sample = s.readSample(ctx, name, s.opt.SampleRows)
		}
		data.Tables = append(data.Tables, t)
	}
	for _, name := range s.catalog.names {
		switch {
		case slices.Contains(tables, name):
		case len(data.Others) < maxOthers:
			data.Others = append(data.Others, s.catalog.describe(name, maxColumnsInSelection, false))
		case len(data.More) < maxNames:
			data.More = append(data.More, name)
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err // what was read may not be all
	}
	var b strings.Builder
	if err := describeText.Execute(&b, data); err != nil {
		return "", fmt.Errorf("sqlagent: %w", err)
	}
	return b.String(), nil
}

const (
	maxOthers = 60
	maxNames  = 250
)
