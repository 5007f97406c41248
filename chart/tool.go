package chart

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
)

// toolArguments are the arguments of visualization_generator.
type toolArguments struct {
	Rows      finding.RowsRef `json:"rows" jsonschema_description:"the rows to draw, those of an earlier task: {\"$result\": \"key/rows\"}"`
	Title     string          `json:"title,omitempty" jsonschema_description:"what the chart shows, in the user's language"`
	Kind      Kind            `json:"kind,omitempty" jsonschema:"enum=bar,enum=stacked_bar,enum=grouped_bar,enum=line,enum=area,enum=scatter,enum=histogram,enum=box,enum=heatmap,enum=pie" jsonschema_description:"by default one that fits the rows"`
	X         string          `json:"x,omitempty" jsonschema_description:"the column of categories, dates or numbers; the slices of a pie"`
	Y         string          `json:"y,omitempty" jsonschema_description:"the column of numbers to draw; none with the aggregate count: rows are counted"`
	Color     string          `json:"color,omitempty" jsonschema_description:"the column whose values have different colors; the numbers of a heatmap"`
	Aggregate Aggregate       `json:"aggregate,omitempty" jsonschema:"enum=sum,enum=mean,enum=count,enum=median,enum=min,enum=max" jsonschema_description:"how rows at one position of the chart are combined; by default their sum"`
	Sort      Sort            `json:"sort,omitempty" jsonschema:"enum=x,enum=-x,enum=y,enum=-y,enum=rows" jsonschema_description:"the order of x: by name or by number, ascending or with - descending, or in the order of the rows"`
	Labels    []label         `json:"labels,omitempty" jsonschema_description:"names of the columns for a reader, in words of the user's language, with the unit"`
	Top       int             `json:"top,omitempty" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"how many categories of x to show, such as 10 for the top ten; by default as many as can be read"`
}

// A label is the name of a column for a reader.
type label struct {
	Column string `json:"column"`
	Text   string `json:"text"`
}

// toolResult is the result of visualization_generator, members of a
// [finding.Finding].
type toolResult struct {
	Text      string                `json:"text"`
	Artifacts []finding.ArtifactRef `json:"artifacts"`
}

// NewTool returns the tool visualization_generator, which draws rows with [New].
// The tool is safe for concurrent use.
//
// Its arguments are {"rows", "title", "kind", "x", "y", "color", "aggregate",
// "sort", "labels", "top"}. Only rows, a [finding.RowsRef], is required; the others are
// [Options]. Its result is {"text", "artifacts": [..]}, members of a
// [finding.Finding]. The artifact is a Vega-Lite chart that is saved next to
// the run. The text describes the chart, what it leaves out, and which rows it
// is based on.
//
// Without rows there is no chart, and the text says so. A chart that cannot be
// drawn is a [*refusal.Error], which a model can act on.
func NewTool() qed.Tool {
	t := qed.NewTool("visualization_generator",
		"Draws rows as a chart for the user: bars, lines, areas, points, histograms, boxes, heatmaps or pies. It groups and adds up rows "+
			"itself, and chooses what is left out. Use it if the user asks for a chart, or if a chart shows more than words. Columns are named "+
			"exactly as the query returns them.",
		func(ctx context.Context, in toolArguments) (toolResult, error) {
			rows, err := in.Rows.Table(ctx)
			if err != nil {
				return toolResult{}, err
			}
			rows.Truncated = rows.Truncated || in.Rows.Truncated
			return in.draw(ctx, rows)
		})
	t.Kind, t.Idempotent = qed.AnalysisTool, true
	return t
}

const (
	minBytes    = 4 << 10
	inlineBytes = 40 << 10 // of a chart in a result, whose JSON is a third longer
)

func (in *toolArguments) draw(ctx context.Context, rows *qed.Table) (toolResult, error) {
	language := qed.Info(ctx).Language
	texts := vegalite.TextsIn(ctx, language)
	if len(rows.Rows) == 0 {
		text := texts.NothingToDraw
		if in.Rows.Partial != "" {
			text += " " + usertext.Fill(texts.Missing, "reason", quotedReason(in.Rows.Partial))
		}
		return toolResult{Text: text, Artifacts: []finding.ArtifactRef{}}, nil
	}
	labels := map[string]string{}
	for _, l := range in.Labels {
		labels[l.Column] = l.Text
	}
	within := func(bytes int) (*Spec, error) {
		return draw(ctx, rows, Options{
			Kind: in.Kind, X: in.X, Y: in.Y, Color: in.Color, Aggregate: in.Aggregate, Sort: in.Sort, Top: in.Top,
			Title: in.Title, Labels: labels, Language: language,
		}, in.Rows.Partial, bytes)
	}
	bytes := vegalite.MaxBytes
	spec, err := within(bytes)
	if err != nil {
		return toolResult{}, err
	}
	kept, err := finding.SaveArtifact(ctx, spec.Artifact())
	for errors.Is(err, qed.ErrTooLarge) && bytes > minBytes {
		bytes /= 2
		if spec, err = within(bytes); err != nil {
			return toolResult{}, err
		}
		kept, err = finding.SaveArtifact(ctx, spec.Artifact())
	}
	if err != nil {
		return toolResult{}, err
	}
	if len(kept.Data) > inlineBytes {
		// The run has no store, so the chart is part of the result, whose size is limited.
		if spec, err = within(min(bytes, inlineBytes)); err != nil {
			return toolResult{}, err
		}
		kept = finding.ArtifactRef{Name: spec.Title, MediaType: MediaType, Data: spec.JSON}
	}
	return toolResult{Text: spec.text(texts), Artifacts: []finding.ArtifactRef{kept}}, nil
}

// text describes the chart for the user.
func (s *Spec) text(t *vegalite.Texts) string {
	kind := map[Kind]string{
		Bar: t.Bar, StackedBar: t.StackedBar, GroupedBar: t.GroupedBar, Line: t.Line, Area: t.Area, Scatter: t.Scatter,
		Histogram: t.Histogram, Box: t.Box, Heatmap: t.Heatmap, Pie: t.Pie,
	}[s.Kind]
	return strings.Join(append([]string{fmt.Sprintf("%s: %s.", kind, s.Title)}, s.Notes...), " ")
}

const maxPartial = 300 // bytes of why rows may be missing

func quotedReason(partial string) string { return prompt.Quote(prompt.Clip(partial, maxPartial)) }
