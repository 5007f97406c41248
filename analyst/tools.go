package analyst

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/toolagent"
)

// The names of the tools.
const (
	queryTool    = "executeSQLQuery"
	chartTool    = "createVisualization"
	profileTool  = "profileData"
	validateTool = "validateAnalysis"
)

// An explorer answers one turn.
type explorer struct {
	*Analyst
	data     *data
	language string          // of the turn: see languageOf
	earlier  []claims.Report // of earlier turns of the thread
	checks   *claims.Session // with those of this turn
	results  []qed.ToolResult
	steps    int

	maxSteps int
}

// reportsName is the name under which a thread remembers checked findings.
const (
	reportsName = "analyst/reports"
	maxReports  = 200
)

func (a *Analyst) newExplorer(ctx context.Context, d *data) (*explorer, error) {
	earlier, err := qed.Remembered[claims.Report](ctx, reportsName, maxReports)
	if err != nil {
		return nil, err
	}
	e := &explorer{
		Analyst: a, data: d, language: languageOf(ctx, qed.Info(ctx).Turn), earlier: earlier, maxSteps: a.opt.MaxSteps,
	}
	if n := requestOf(ctx).MaxSteps; n > 0 {
		e.maxSteps = min(e.maxSteps, n)
	}
	return e, e.restore(ctx)
}

// restore makes the checks from the results so far, so that a resumed run has those
// that it does not repeat, and checks of one step have one order.
func (e *explorer) restore(ctx context.Context) error {
	found, err := reports(e.results)
	if err != nil {
		return err
	}
	all := lists.Map(slices.Concat(e.earlier, found), func(r claims.Report) *claims.Report { return &r })
	e.checks = claims.NewSession(ctx, all...)
	return nil
}

func (e *explorer) beforeStep(ctx context.Context, p *toolagent.StepRequest) error {
	e.steps = p.Steps + 1
	raw, err := json.Marshal(stepStarted{
		Step: e.steps, Of: e.maxSteps, Tokens: p.Usage.InputTokens + p.Usage.OutputTokens,
	})
	if err != nil {
		return fmt.Errorf("analyst: %w", err)
	}
	qed.Emit(ctx, qed.CustomEvent{Kind: stepKind, JSON: raw})
	return nil
}

func (e *explorer) afterStep(ctx context.Context, p toolagent.Progress) error {
	e.results = p.Results
	return e.restore(ctx)
}

func (e *explorer) tools() []qed.Tool {
	run := qed.NewTool(queryTool, "Executes a read-only SELECT on the table "+prompt.Quote(e.data.Table)+".", e.query)
	draw := qed.NewTool(chartTool, "Draws the rows of a SELECT with a Vega-Lite spec. The spec has no data of its own: "+
		"its fields are the columns of the query.", e.draw)
	profile := qed.NewTool(profileTool, "Returns figures of columns over all rows, and problems of the data.", e.profile)
	validate := qed.NewTool(validateTool, "Checks a finding with the result of its query and the rows behind it: the number, "+
		"significance, copies, mixed units, incomplete periods, outliers, missing data, Simpson's paradox, causes. "+
		"Without a typed claim nothing is checked.", e.validate)
	run.Language, validate.Kind = query.SQL, qed.AnalysisTool
	all := []qed.Tool{run, draw, profile, validate}
	for i := range all {
		all[i].Idempotent = true // they only read, and a claim that is checked again counts once
		all[i].Timeout = toolTimeout
	}
	return all
}

// toolTimeout is enough for the statements of a call, which the database limits.
const toolTimeout = 2 * time.Minute

type queryArguments struct {
	Query  string `json:"query" jsonschema_description:"one SELECT statement"`
	Reason string `json:"reason" jsonschema_description:"why this query is needed for the analysis"`
}

// An outcome is the result of a call: success, or an error with a hint.
type outcome struct {
	Success bool   `json:"success"`
	Code    string `json:"code,omitempty"` // the kind of the error, such as unknown_column
	Error   string `json:"error,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

type queryResult struct {
	outcome
	finding.Finding
	Alternatives []qed.Predicate `json:"alternatives,omitempty"`
}

func (e *explorer) query(ctx context.Context, in queryArguments) (out queryResult, err error) {
	began := time.Now()
	rows, executed, err := e.data.read(ctx, in.Query)
	if err != nil {
		out.outcome, err = e.failed(ctx, err)
		return out, err
	}
	millis := time.Since(began).Milliseconds()
	qed.Emit(ctx, qed.QueryExecuted{Query: executed, Rows: len(rows.Rows), Truncated: rows.Truncated, Millis: millis})
	out.Success = true
	if out.Rows, err = finding.SaveRows(ctx, rows); err != nil {
		return out, err
	}
	out.Queries = []qed.Query{{
		Language: query.SQL, Written: in.Query, Executed: executed,
		Rows: len(rows.Rows), Millis: millis, Handle: out.Rows.Handle,
	}}
	if len(rows.Rows) == 0 {
		out.Alternatives = e.data.whyEmpty(ctx, in.Query)
		out.Hint = "The query found no rows. Compare its conditions with the values in the data."
	}
	if rows.Truncated {
		out.Hint = fmt.Sprintf("These are the first %d rows, and there are more. "+
			"They say nothing about the whole: aggregate in the query.", len(rows.Rows))
	}
	return out, nil
}

// failed returns an error that the model can act on as the result of a call. The
// error of a context that has ended stays one.
func (e *explorer) failed(ctx context.Context, err error) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{}, err
	}
	return outcome{Code: code(err), Error: err.Error(), Hint: e.data.hint(err)}, nil
}

// code returns the kind of an error as one word.
func code(err error) string {
	if refused, ok := errors.AsType[*refusal.Error](err); ok && len(refused.Problems) > 0 {
		return string(refused.Problems[0].Code)
	}
	if failed, ok := errors.AsType[*sqldb.Error](err); ok {
		return strings.ReplaceAll(string(failed.Kind), " ", "_")
	}
	return "other"
}

type chartArguments struct {
	ChartType string          `json:"chartType" jsonschema:"enum=bar,enum=line,enum=scatter,enum=area,enum=histogram,enum=boxplot"`
	Spec      json.RawMessage `json:"spec" jsonschema:"type=object" jsonschema_description:"a Vega-Lite spec without data, with titles of axes and legends in words of the user's language"`
	SQLQuery  string          `json:"sqlQuery" jsonschema_description:"the SELECT whose rows are drawn"`
	Title     string          `json:"title" jsonschema_description:"what the chart shows, in the user's language"`
}

type chartResult struct {
	outcome
	Notes     []string              `json:"notes,omitempty"`
	Artifacts []finding.ArtifactRef `json:"artifacts,omitempty"`
}

// kinds are the kinds of charts that differ in name.
var kinds = map[string]chart.Kind{"boxplot": chart.Box}

func (e *explorer) draw(ctx context.Context, in chartArguments) (out chartResult, err error) {
	spec, err := e.data.draw(ctx, in, e.language)
	if err != nil {
		out.outcome, err = e.failed(ctx, err)
		out.Hint = cmp.Or(out.Hint, "Use the columns of the query as fields, and no data, url or expression.")
		return out, err
	}
	kept, err := finding.SaveArtifact(ctx, spec.Artifact())
	if err != nil {
		return out, err
	}
	out.Success, out.Notes, out.Artifacts = true, spec.Notes, []finding.ArtifactRef{kept}
	return out, nil
}

// draw returns a chart with the rows of its query.
func (d *data) draw(ctx context.Context, in chartArguments, language string) (*chart.Spec, error) {
	rows, _, err := d.read(ctx, in.SQLQuery)
	if err != nil {
		return nil, err
	}
	if rows.Truncated {
		return nil, fmt.Errorf("the query has more than %d rows, and a chart of the first ones would mislead: "+
			"aggregate in the query", len(rows.Rows))
	}
	kind := chart.Kind(in.ChartType)
	if other := kinds[in.ChartType]; other != "" {
		kind = other
	}
	return lint.Check(ctx, in.Spec, rows, lint.Options{Kind: kind, Title: in.Title, Language: language})
}

type validateArguments struct {
	Finding      string        `json:"finding" jsonschema_description:"the insight to check, as one sentence"`
	RelatedQuery string        `json:"relatedQuery" jsonschema_description:"the query that led to the finding"`
	Claim        *claims.Claim `json:"claim,omitempty" jsonschema_description:"what the finding says, in the columns of the table or of the result of relatedQuery; without it nothing is checked"`
}

type validateResult struct {
	outcome
	Source string         `json:"source,omitempty"` // the statement that read the rows
	Report *claims.Report `json:"report,omitempty"`

	// Unless the finding is proved, Unproved are the numbers that it says, and Found those
	// that the checks computed.
	Unproved []string  `json:"unproved,omitempty"`
	Found    []float64 `json:"found,omitempty"`
}

func (e *explorer) validate(ctx context.Context, in validateArguments) (out validateResult, err error) {
	out.Report, out.Source, err = e.check(ctx, in)
	if err != nil {
		out.outcome, err = e.failed(ctx, err)
		return out, err
	}
	out.Success = true
	if out.Report.Verdict != dates.Proved {
		for _, n := range figures.Find(in.Finding, figures.StyleOf(in.Finding)) {
			out.Unproved = append(out.Unproved, n.Text)
		}
		if c := in.Claim; c != nil && c.Value != nil {
			out.Unproved = append(out.Unproved, strconv.FormatFloat(*c.Value, 'f', -1, 64))
		}
		if c := in.Claim; c != nil && c.Count != nil {
			out.Unproved = append(out.Unproved, strconv.Itoa(*c.Count))
		}
		for _, c := range out.Report.Checks {
			for _, name := range slices.Sorted(maps.Keys(c.Figures)) {
				if name != "claimed" {
					out.Found = append(out.Found, c.Figures[name])
				}
			}
		}
	}
	return out, nil
}

// check checks a finding, and returns the statement that read its rows.
func (e *explorer) check(ctx context.Context, in validateArguments) (*claims.Report, string, error) {
	f := claims.Finding{Text: in.Finding, Claim: in.Claim, Query: in.RelatedQuery, Experiment: e.data.Experiment, Language: e.language}
	ofResult := in.Claim != nil && in.Claim.OfResult()
	var err error
	if ofResult {
		if f.Result, err = e.data.result(ctx, in.RelatedQuery); err != nil {
			return nil, "", err
		}
		f.Measure = e.data.measure(in.RelatedQuery, in.Claim.Metric)
		f.Misspelt = e.data.misspelt(ctx, in)
	}
	rows, err := e.data.sample(ctx, in.RelatedQuery, in.Claim)
	switch {
	case err == nil:
		f.Rows, f.Total, f.Sampled, f.All = rows.rows, rows.total, rows.total > len(rows.rows.Rows), rows.all
	case ofResult && errors.Is(err, secureview.ErrUnsupported):
		rows = &sample{} // the result of a statement without such rows can still be compared
	default:
		return nil, "", err
	}
	report, err := e.checks.Check(ctx, f)
	return report, rows.query, err
}

// reports returns the checked findings of the turn.
func reports(results []qed.ToolResult) ([]claims.Report, error) {
	var all []claims.Report
	for _, r := range results {
		if r.Call.Name != validateTool || r.Err != nil {
			continue
		}
		var v validateResult
		if err := json.Unmarshal(r.Output, &v); err != nil {
			return nil, errors.Join(errors.New("analyst: the result of validateAnalysis cannot be read"), err)
		}
		if v.Report != nil {
			all = append(all, *v.Report)
		}
	}
	return all, nil
}
