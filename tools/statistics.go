package tools

import (
	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/stats"
	"github.com/qedkit/qed/query"
)

// NewAnalysis returns the tool stats_analysis. It summarises the columns of
// rows, finds outliers and correlations, and compares groups. It calls no model, and
// the same rows give the same figures. It is safe for concurrent use.
//
// Its arguments are {"rows", "columns", "group_by"}. Only rows, a
// [finding.RowsRef], is required. Its result has:
//   - text: what stands out, in sentences of the run's language, for a user
//   - row_count, total, truncated, partial: the rows that were analysed
//   - queries: the query that was run again to read all rows
//   - summary: kind, missing, distinct and the figures of each column
//   - outliers: of each column of numbers, outside Tukey's fences and by their modified
//     z-score
//   - correlations: Pearson's and Spearman's of each pair of columns of numbers
//   - groups: for each column of numbers whether the groups differ, by Kruskal and
//     Wallis
//   - left_out: which lists were shortened, because the result was too long
//
// The methods are robust ones that do not assume a normal distribution, because
// business data rarely have one. Each result has the number of values that it rests on.
// If there are too few values, or they allow no conclusion, the field unclear has the
// reason. A finding is significant if its p-value is below 0.05; correlations and cycles
// are tested several at once, so their p-value must be below 0.01.
//
// A query can have more rows than were saved. If one of the sources ran it and is a
// [query.Scanner], the tool reads all rows again, up to 5,000,000. It keeps 100,000 of
// them, drawn at random, or fewer if they need more than 64 MiB. Counts, sums, means,
// ranges and the frequencies of up to 1,000 texts are those of all rows; other figures
// are those of the sample, and total is the number of rows from which it was drawn.
// Without such a source, or if the query fails, the tool analyses the saved rows, and
// truncated says that there are more.
//
// Arguments that do not fit the rows are a [*refusal.Error], which a model can
// act on.
//
// [*refusal.Error]: https://pkg.go.dev/github.com/qedkit/qed/refusal#Error
// [finding.RowsRef]: https://pkg.go.dev/github.com/qedkit/qed/finding#RowsRef
func NewAnalysis(sources ...query.Source) qed.Tool { return stats.NewAnalysisTool(sources...) }

// NewPatterns returns the tool pattern_recognition. It finds the trend of a
// value over time, the cycles of the calendar that the value follows, its
// outliers, and whether it differs between groups. It calls no model, and the same rows
// give the same figures. It is safe for concurrent use.
//
// The arguments are {"rows", "value", "time", "group_by", "period",
// "aggregate"}. Only rows, a [finding.RowsRef], is required; without a value
// rows are counted. The result has:
//   - text: what stands out, in sentences of the run's language, for a user
//   - row_count, total, truncated, partial, queries: the rows that were analysed, as
//     in the result of [NewAnalysis]
//   - value, time, aggregate: what was analysed
//   - missing: the number of rows without a time or a value
//   - blank: the number of periods whose rows have no value
//   - cut_first, cut_last: the first or the last period is left out, because it may not
//     be complete
//   - trend: direction, slope and p-value; it is unknown if there are more rows than were
//     read, or if a count, sum, minimum or maximum would be that of a sample
//   - seasonality: for each cycle of the calendar whether it was found; none if the trend
//     is unknown for these reasons
//   - series: the points of the trend, as a finding.RowsRef for a chart
//   - outliers, groups: as in the result of [NewAnalysis]
//   - left_out: which lists were shortened, because the result was too long
//
// The sources read all rows of a query again, as for [NewAnalysis].
//
// Arguments that do not fit the rows are a [*refusal.Error], which a model can
// act on.
//
// [*refusal.Error]: https://pkg.go.dev/github.com/qedkit/qed/refusal#Error
// [finding.RowsRef]: https://pkg.go.dev/github.com/qedkit/qed/finding#RowsRef
func NewPatterns(sources ...query.Source) qed.Tool { return stats.NewPatternTool(sources...) }
