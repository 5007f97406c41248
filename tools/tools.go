// Package tools has ready-made tools for plans: some compute statistics, some call a
// model, and one asks an agent. Add those that an agent needs to its [qed.Registry]:
//
//	registry := qed.NewRegistry(nil)
//	err := registry.Add(tools.NewSummary(model, nil), tools.NewInsights(model, nil))
//
// [NewAnalysis] and [NewPatterns] compute statistics of rows, without a model.
// [NewSummary] writes the answer to a request from rows and findings,
// [NewInsights] says what findings show and checks every number of its text,
// [NewLLM] runs a prompt, and [NewEmbedding] returns vectors.
//
// A constructor returns a tool even if its arguments cannot be used;
// [qed.Registry.Add] then returns the error.
//
// [FromAgent] makes a tool of an agent. Package [todoagent] has the tool that finds
// earlier queries.
//
// # Columns
//
// Numbers are int64 and float64 cells, and text as databases write decimals:
// "12", "-0.5", "1.5e3". Text with a leading zero ("00412"), a plus sign, a
// percent sign or thousands separators is text: it may be an identifier, and
// separators are ambiguous. Decimals in a column whose [qed.Column].Type is a
// text type are text, except where a function needs numbers. Whole numbers
// beyond 2^53 are rounded to the nearest float64, except in "distinct".
//
// Fractions that are equal in their first 12 digits, and closer to each other
// than a millionth of the column's range, are treated as equal where values are
// ranked or scored: sums and averages of a database are rounded, and 0.1 + 0.2
// is not exactly 0.3.
//
// Times are text: RFC 3339, with a T or a space, with or without seconds,
// fractions and zone; dates as 2006-01-02 and 2006/01/02; months as 2006-01;
// and the forms of [time.RFC1123] in GMT or UTC, [time.RFC1123Z] and
// [time.Time.String]. Forms such as 01/02/2006 are text, because day and month
// cannot be told apart. Times with other letters for a zone, such as EST, are
// text too. In a column whose Type is a time type, and where a function needs
// times, whole numbers are times too: 1000 to 9999 are years, and from 1e8 on
// they are seconds, milliseconds, microseconds or nanoseconds since 1970, by
// their size.
//
// Null and blank cells are missing. In a column of numbers or times so are
// "NaN", "NULL", "none", "nil", "N/A", "NA", "-" and infinities, in any letter
// case, the date 0000-00-00, and the years 1 and 9999. A column has numbers, or
// times, if at least nine of ten of its other cells have. The rest are counted
// as Other and left out. Package [chart] reads columns by the same rules.
//
// [chart]: https://pkg.go.dev/github.com/qedkit/qed/chart
// [todoagent]: https://pkg.go.dev/github.com/qedkit/qed/todoagent
package tools

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Options are how a tool asks its model. Nil and zero fields mean the defaults.
type Options struct {
	// Settings are how the tool calls its model. A call of the tool may take
	// twice as long as ModelTimeout.
	llm.Settings

	// Prompts has files that replace those of the same name in the folder prompts,
	// such as llm_summary.tmpl. Begin with a copy. Everything that a user, a model
	// or a database wrote must go through the function quote, or the model could
	// take it for instructions. Nil means the package's own.
	Prompts fs.FS
}

// promptData is the data of the prompts of this package. Texts must go through
// the function quote, except Syntax, Rows and Data: these are JSON in which no tag can
// be closed.
type promptData struct {
	Request   string      // what is asked for; for llm_tool the prompt
	Language  string      // of the answer, such as "de"; empty: that of the request
	Dates     dates.Facts // today and the calendar
	Syntax    string      // how to refer to a cell of Rows: [figures.Syntax]; empty without Rows
	Rows      string      // the columns and the first rows, as [figures.Rows] returns them; empty: none
	Shown     int         // the number of rows in Rows
	Count     int         // the number of rows that were found
	Truncated bool        // the source has more rows than Count
	Partial   string      // why rows are missing, other than Truncated; empty if none are
	Data      string      // the findings, or what a prompt is about, as JSON; empty if there are none
	DataCut   bool        // Data is cut off at its end
	findings  json.RawMessage

	// The rest is for generate_insights: the limit, and the insights of the
	// model's last reply that were accepted, and those that were refused, each
	// with its numbers that are not in the data. The first prompt has none.
	MaxInsights int
	Accepted    []string
	Refused     map[string][]string
}

const (
	maxRows    = 8 << 10  // bytes of rows in a prompt: figures are computed over all of them
	maxData    = 24 << 10 // bytes of all other data in it
	maxRequest = 8 << 10
	maxPartial = 300
)

// newPromptData returns the prompt's data for a request, with at most maxRows
// bytes of rows and maxData of findings. If the rows are not saved any more, it uses
// their sample. It also returns the rows that the prompt shows.
func newPromptData(
	ctx context.Context, request string, rows *finding.RowsRef, findings json.RawMessage,
) (promptData, *qed.Table, error) {
	d := promptData{Request: prompt.Clip(request, maxRequest), Language: answertext.Tag(ctx)}
	facts, err := qed.Dates(ctx, d.Request)
	if err != nil {
		return d, nil, err
	}
	d.Dates = facts
	d.setData(findings, maxData)
	if rows == nil {
		return d, nil, nil
	}
	table, err := rows.Table(ctx)
	if errors.Is(err, qed.ErrNotFound) {
		table, err = &rows.Sample, nil
	}
	if err != nil {
		return d, nil, err
	}
	d.Rows, d.Shown = figures.Rows(table, len(table.Rows), maxRows)
	d.Syntax = figures.Syntax
	d.Count = max(rows.Count, len(table.Rows))
	d.Truncated = rows.Truncated
	d.Partial = prompt.Clip(rows.Partial, maxPartial)
	return d, &qed.Table{Columns: table.Columns, Rows: table.Rows[:d.Shown]}, nil
}

// ShrinkRows shows fewer rows and less of the findings.
func (d *promptData) ShrinkRows() bool {
	if modelcall.HalveLines(&d.Rows, 1) { // the first line has the names
		d.Shown = strings.Count(d.Rows, "\n")
		return true
	}
	if len(d.Data) < leastData {
		return false
	}
	d.setData(d.findings, len(d.Data)/2)
	return true
}

// leastData is how many bytes of findings a prompt keeps.
const leastData = 64

// setData shows findings in which no tag can be closed. If they have more than most bytes
// they are cut, and are then a JSON string.
func (d *promptData) setData(findings json.RawMessage, most int) {
	d.findings, d.Data, d.DataCut = findings, "", false
	if len(findings) == 0 {
		return
	}
	var compact, escaped bytes.Buffer
	if json.Compact(&compact, findings) != nil {
		compact = *bytes.NewBuffer(findings)
	}
	json.HTMLEscape(&escaped, compact.Bytes())
	if escaped.Len() <= most {
		d.Data = escaped.String()
		return
	}
	for n := most; ; n = n * 3 / 4 { // quoting makes it longer
		d.Data, d.DataCut = prompt.Quote(prompt.Clip(compact.String(), n)), true
		if len(d.Data) <= most || n < 16 {
			return
		}
	}
}

// A toolModel is the model of a tool and how it is asked. It does not change.
type toolModel struct {
	model    *modelcall.Model
	json     *modelcall.Model // the same model in JSON mode
	tool     string
	timeout  time.Duration
	channel  qed.Channel
	template *template.Template
}

// newToolModel returns how the tool with a name asks, and the channel of its text.
func newToolModel(tool string, model llm.Model, opt *Options, channel qed.Channel) (*toolModel, error) {
	opt = cmp.Or(opt, &Options{})
	m := &toolModel{
		tool: tool, timeout: opt.ModelTimeout, channel: channel,
	}
	if model == nil {
		return m, fmt.Errorf("tools: %s needs a model", tool)
	}
	var err error
	if m.model, err = modelcall.New("tools: "+tool, model, opt.Settings, qed.DurableModel); err != nil {
		return m, err
	}
	settings := opt.Settings
	settings.JSONMode = true // no provider constrains a reply to a schema that allows every object
	if m.json, err = modelcall.New("tools: "+tool, model, settings, qed.DurableModel); err != nil {
		return m, err
	}
	m.timeout = cmp.Or(m.timeout, modelcall.Standard.ModelTimeout)
	prompts, err := promptset.Load("tools: Options.Prompts", promptFiles, opt.Prompts, map[string]any{tool: promptData{}})
	m.template = prompts[tool]
	return m, err
}

// finish completes the tool that asks m. If err is not nil, the tool is invalid.
func (m *toolModel) finish(t qed.Tool, kind qed.ToolKind, err error) qed.Tool {
	if err != nil {
		return qed.Tool{Name: t.Name, Err: err}
	}
	t.Kind, t.Idempotent, t.Timeout = kind, true, 2*m.timeout
	return t
}

// text asks for a text and streams it. cut reports that the model reached its
// output limit.
func (m *toolModel) text(ctx context.Context, data promptData) (text string, cut bool, err error) {
	req, err := m.model.Request(m.tool, m.template, &data, nil)
	if err != nil {
		return "", false, err
	}
	text, err = m.model.Text(ctx, req, answertext.Stream(ctx, m.channel))
	cut = errors.Is(err, llm.ErrTruncated) && text != ""
	if err != nil && !cut {
		return "", false, err
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if text == "" {
		return "", false, errEmptyText
	}
	return text, cut, nil
}

var errEmptyText = errors.New("the model's text is empty")

func (m *toolModel) emit(ctx context.Context, text string) {
	qed.Emit(ctx, qed.Token{Channel: m.channel, Content: text})
}
