package chart

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// toolArguments are what visualization_generator takes.
type toolArguments struct {
	Rows      qed.RowsRef `json:"rows" jsonschema_description:"the rows to draw, those of an earlier task: {\"$result\": \"key/rows\"}"`
	Title     string      `json:"title,omitempty" jsonschema_description:"what the chart shows, in the user's language"`
	Kind      Kind        `json:"kind,omitempty" jsonschema:"enum=bar,enum=stacked_bar,enum=grouped_bar,enum=line,enum=area,enum=scatter,enum=histogram,enum=box,enum=heatmap,enum=pie" jsonschema_description:"leave out to have the one chosen that suits the rows"`
	X         string      `json:"x,omitempty" jsonschema_description:"the column along the chart, named exactly as the query returns it: categories, dates or numbers; the slices of a pie; leave out to have it chosen"`
	Y         string      `json:"y,omitempty" jsonschema_description:"the column of numbers that is drawn, named exactly as the query returns it; leave out to have it chosen, or, with the aggregate count, to have rows counted"`
	Color     string      `json:"color,omitempty" jsonschema_description:"the column whose values get a colour each, named exactly as the query returns it; the numbers of a heatmap; leave out to have it chosen"`
	Aggregate Aggregate   `json:"aggregate,omitempty" jsonschema:"enum=sum,enum=mean,enum=count,enum=median,enum=min,enum=max" jsonschema_description:"what becomes of rows that share a place; leave out for their sum"`
	Sort      Sort        `json:"sort,omitempty" jsonschema:"enum=x,enum=-x,enum=y,enum=-y,enum=rows" jsonschema_description:"the order along the chart: by name or by number, ascending or with - descending, or as the rows come; leave out to have it chosen"`
	Limit     int         `json:"limit,omitempty" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"how many categories of x to show, such as 10 for the top ten; leave out to have as many as can be read"`
}

// toolResult is what it returns: members of a [qed.Finding].
type toolResult struct {
	Text      string            `json:"text"`
	Artifacts []qed.ArtifactRef `json:"artifacts"`
}

// NewTool returns the tool visualization_generator, which draws rows with [New]. A nil limits
// means the defaults. It may be called by several goroutines.
//
// Its arguments are {"rows", "title", "kind", "x", "y", "color", "aggregate", "sort", "limit"}, all
// but rows optional: rows are a [qed.RowsRef], and the others are [Options], where limit is Top. Its
// result is {"text", "artifacts": [..]}, members of a [qed.Finding]: the artifact is a Vega-Lite
// chart that is kept beside the run, and the text says what it shows and leaves out, and of which
// rows it is.
//
// Where there are no rows, there is no chart, and the text says so. What cannot be drawn is an
// [*Error], with which a model can mend the arguments.
func NewTool(limits *Limits) qed.Tool {
	lim := limits.withDefaults()
	t := qed.NewTool("visualization_generator",
		"Draws rows as a chart for the user: bars, lines, areas, points, histograms, boxes, heatmaps or pies. It groups and adds up rows itself. Use it where the user asks for a chart, or where one shows more than words.",
		func(ctx context.Context, in toolArguments) (toolResult, error) {
			rows, err := in.Rows.Table(ctx)
			if err != nil {
				return toolResult{}, err
			}
			rows.Truncated = rows.Truncated || in.Rows.Truncated
			return in.draw(ctx, rows, lim)
		})
	t.Kind, t.Idempotent = qed.AnalysisTool, true
	return t
}

func (in *toolArguments) draw(ctx context.Context, rows *qed.Table, lim Limits) (toolResult, error) {
	if len(rows.Rows) == 0 {
		text := "There is nothing to draw: there are no rows."
		if in.Rows.Partial != "" {
			text += " They may be missing: " + prompt.Quote(prompt.Clip(in.Rows.Partial, maxPartial)) + "."
		}
		return toolResult{Text: text, Artifacts: []qed.ArtifactRef{}}, nil
	}
	within := func(bytes int) (*Spec, error) {
		lim.Bytes = bytes
		return draw(rows, Options{
			Kind: in.Kind, X: in.X, Y: in.Y, Color: in.Color, Aggregate: in.Aggregate, Sort: in.Sort, Top: in.Limit,
			Title: in.Title, Limits: &lim,
		}, in.Rows.Partial)
	}
	spec, err := within(lim.Bytes)
	if err != nil {
		return toolResult{}, err
	}
	kept, err := qed.SaveArtifact(ctx, spec.Artifact())
	for errors.Is(err, qed.ErrTooLarge) && lim.Bytes > minBytes {
		if spec, err = within(lim.Bytes / 2); err != nil {
			return toolResult{}, err
		}
		kept, err = qed.SaveArtifact(ctx, spec.Artifact())
	}
	if err != nil {
		return toolResult{}, err
	}
	if len(kept.Data) > inlineBytes {
		// Nothing keeps it beside the run, so it stands in the result, which is bounded.
		if spec, err = within(min(lim.Bytes, inlineBytes)); err != nil {
			return toolResult{}, err
		}
		kept = qed.ArtifactRef{Name: spec.Title(), MediaType: MediaType, Data: spec.JSON()}
	}
	return toolResult{Text: told(spec), Artifacts: []qed.ArtifactRef{kept}}, nil
}

const (
	minBytes    = 4 << 10
	inlineBytes = 40 << 10 // of a chart in a result, where it has a third more
)

// told is what a user reads beside the chart.
func told(s *Spec) string {
	lines := []string{fmt.Sprintf("%s: %s.", kindName(s.kind), s.title)}
	return strings.Join(append(lines, s.notes...), " ")
}

func kindName(k Kind) string {
	name := strings.ReplaceAll(string(k), "_", " ")
	return strings.ToUpper(name[:1]) + name[1:] + " chart"
}
