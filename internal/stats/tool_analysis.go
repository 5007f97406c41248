package stats

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/query"
)

type analysisInput struct {
	Rows    finding.RowsRef `json:"rows" jsonschema_description:"the rows to analyse, those of an earlier task: {\"$result\": \"key/rows\"}"`
	Columns []string        `json:"columns,omitempty" jsonschema_description:"by default all"`
	GroupBy string          `json:"group_by,omitempty" jsonschema_description:"the column whose groups are compared, if the question asks for that"`
}

// An analysis is the result of stats_analysis.
type analysis struct {
	Text string `json:"text"`
	basis
	Summary      []Summary          `json:"summary"`
	Outliers     []reportedOutliers `json:"outliers"`
	Correlations []*Correlation     `json:"correlations"`     // the strongest first
	Groups       []*Comparison      `json:"groups,omitempty"` // one for each column of numbers
	LeftOut      []string           `json:"left_out,omitempty"`
}

// NewAnalysisTool returns the tool stats_analysis: see tools.NewAnalysis.
func NewAnalysisTool(sources ...query.Source) qed.Tool {
	t := qed.NewTool("stats_analysis",
		"Computes statistics of rows: for each column count, missing, distinct, mean, median, quartiles, spread or most frequent "+
			"values; outliers; correlations; and with group_by whether the groups differ. Exact and reproducible; use it "+
			"instead of computing figures yourself. Columns are named exactly as the query returns them.",
		func(ctx context.Context, in analysisInput) (analysis, error) { return analyse(ctx, in, sources) })
	t.Kind, t.Idempotent = qed.AnalysisTool, true
	return t
}

func analyse(ctx context.Context, in analysisInput, sources []query.Source) (analysis, error) {
	rows, err := tableOf(ctx, &in.Rows, sources)
	if err != nil {
		return analysis{}, err
	}
	t := rows.table
	columns, err := findAll(t, in.Columns)
	if err != nil {
		return analysis{}, err
	}
	by := -1
	if in.GroupBy != "" {
		if by, err = find(t, in.GroupBy); err != nil {
			return analysis{}, err
		}
	}
	var f figures
	columns = shortened(columns, defaultCaps.columns, "columns", &f.notes)
	var numeric []*variable
	for _, i := range columns {
		c, err := read(t, i, "")
		if err != nil {
			return analysis{}, err
		}
		s := c.summary()
		if rows.exact != nil {
			rows.exact[i].complete(&s)
		}
		f.summaries = append(f.summaries, s)
		// Identifiers are analysed only on request.
		if c.Kind == column.Numbers && i != by && (len(in.Columns) > 0 || !column.IsIdentifier(c.Name)) {
			numeric = append(numeric, c)
		}
	}
	numeric = shortened(numeric, defaultCaps.numeric, "columns of numbers, for outliers and correlations", &f.notes)
	for i, c := range numeric {
		if ctx.Err() != nil {
			return analysis{}, context.Cause(ctx)
		}
		f.outliers = append(f.outliers, c.outliers())
		for _, other := range numeric[:i] {
			f.pairs = append(f.pairs, correlate(other, c))
		}
		if by >= 0 && i < defaultCaps.compared {
			f.groups = append(f.groups, compare(t, c, by))
		}
	}
	if by >= 0 {
		shortened(numeric, defaultCaps.compared, "columns of numbers, between groups", &f.notes)
	}
	slices.SortStableFunc(f.pairs, func(a, b *Correlation) int {
		return cmp.Compare(math.Abs(b.Spearman), math.Abs(a.Spearman))
	})
	f.labels = labels(t)
	return fitted(func(c caps) analysis { return f.analysis(textsOf(ctx), rows.basis, c) })
}

// figures has everything that an analysis found.
type figures struct {
	summaries []Summary
	outliers  []*Outliers
	pairs     []*Correlation
	groups    []*Comparison
	labels    []string
	notes     []string
}

const (
	maxSentences = 8   // of each kind
	minStrength  = 0.3 // correlations below it get no sentence
)

func (f *figures) analysis(words *texts, from basis, c caps) analysis {
	a := analysis{basis: from, Outliers: []reportedOutliers{}, Correlations: []*Correlation{}}
	notes := slices.Clone(f.notes)
	text := []string{words.basis(&from)}
	if from.Total > 0 {
		text = append(text, words.Exact)
	}
	say := func(i int, sentence string) {
		if i < maxSentences {
			text = append(text, sentence)
		}
	}
	a.Summary = []Summary{}
	for i, s := range shortened(f.summaries, c.columns, "columns", &notes) {
		say(i, words.summary(&s))
		s.Column = clip(s.Column)
		if s.Texts != nil {
			top := TextSummary{Top: []ValueCount{}, Rest: s.Count}
			for _, v := range s.Texts.Top[:min(c.values, len(s.Texts.Top))] {
				top.Rest -= v.Count
				top.Top = append(top.Top, ValueCount{Value: clip(v.Value), Count: v.Count, Share: v.Share})
			}
			s.Texts = &top
		}
		a.Summary = append(a.Summary, s)
	}
	for i, o := range shortened(f.outliers, c.numeric, "columns with outliers", &notes) {
		copied := *o
		copied.Column = clip(o.Column)
		r, label := copied.report(f.labels, c.outliers, &notes)
		a.Outliers = append(a.Outliers, r)
		say(i, words.outliers(o, label))
	}
	for i, g := range shortened(f.groups, c.compared, "comparisons", &notes) {
		a.Groups = append(a.Groups, g.report(c.groups, &notes))
		say(i, words.comparison(g))
	}
	for i, p := range shortened(f.pairs, c.pairs, "pairs of columns, the weakest", &notes) {
		copied := *p
		copied.A, copied.B = clip(p.A), clip(p.B)
		a.Correlations = append(a.Correlations, &copied)
		if p.Related && math.Abs(p.Spearman) >= minStrength {
			say(i, words.correlation(p))
		}
	}
	a.LeftOut = notes
	a.Text = strings.Join(text, " ")
	return a
}
