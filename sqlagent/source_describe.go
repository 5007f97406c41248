package sqlagent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/promptset"
)

var describeText = promptset.Parse(promptFiles, "describe.tmpl")

// describeData is the data of the description of a source.
type describeData struct {
	Name, Dialect, About string
	MaxRows              int

	Joins, Choices []string // of the tables that share words with the request
	Relationships  []string
	Tables         []promptTable
	Others         []promptTable // with fewer columns
	More           []string      // the names of the rest
}

// Describe describes the tables that share words with the request and those that
// connect them, or the first tables if none does. Other tables follow with fewer
// columns.
func (s *source) Describe(ctx context.Context, request string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	data := describeData{Name: s.name, Dialect: s.guard.Dialect().Name(), About: s.about, MaxRows: s.rowLimit}
	hits, err := s.nearest(ctx, request, s.opt.Limits.ChosenTables, false)
	if err != nil {
		return "", err
	}
	tables := names(hits)
	if len(tables) == 0 {
		if hits, err = s.nearest(ctx, request, s.opt.Limits.ChosenTables, true); err != nil {
			return "", err
		}
		tables = names(hits)
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
	data.Relationships = s.lines(s.relationshipsAmong(tables, 20, true))
	for _, name := range tables {
		t := s.catalog.describe(name, s.opt.Limits.Columns, true)
		if s.opt.Limits.SampleRows > 0 {
			t.Sample = s.readSample(ctx, name, s.opt.Limits.SampleRows)
		}
		data.Tables = append(data.Tables, t)
	}
	for _, name := range s.catalog.names {
		switch {
		case slices.Contains(tables, name):
		case len(data.Others) < maxOthers:
			data.Others = append(data.Others, s.catalog.describe(name, maxSelectedColumns, false))
		case len(data.More) < maxNames:
			data.More = append(data.More, name)
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err // samples may be missing
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
