// Package drafts holds what every agent and tool needs that has a model write
// queries: the record of what the model wrote and why it was refused, and the
// rules of each query language for the model.
//
// The loop is the same everywhere. The model writes a query, [Draft.Write]
// records it, the query is checked and run, and if it is refused
// [Draft.Refuse] records why. The next prompt then holds [Draft.ProblemLines] and
// [Draft.Earlier].
package drafts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// A Draft is a query that a model is writing. It can be stored as JSON.
type Draft struct {
	Query    string            // what the model wrote last; empty means nothing new
	Problems []refusal.Problem // why Query cannot be used; empty means that no problem is known
	Tried    []string          // every query that was written, without layout
	Refused  int               // how many queries were refused

	Corrections []qed.Correction // the queries that were given up, with the reasons
}

// Write records a query that the model wrote in a language. It emits
// [qed.QueryWritten], with a Reason if the query replaces a refused one. If the
// model wrote the same query before, Write returns false and changes nothing.
func (d *Draft) Write(ctx context.Context, language, query string) bool {
	folded := fold(query)
	if slices.Contains(d.Tried, folded) {
		return false
	}
	d.Tried = append(d.Tried, folded)
	written := qed.QueryWritten{Language: language, Query: query, Attempt: len(d.Tried)}
	if len(d.Problems) > 0 {
		written.Reason = d.Reason()
	}
	d.Query, d.Problems = query, nil
	qed.Emit(ctx, written)
	return true
}

// Refuse records why the query cannot be used. It emits [qed.QueryRefused].
// There must be at least one problem; those after the tenth are dropped.
func (d *Draft) Refuse(ctx context.Context, problems []refusal.Problem) {
	d.Problems = problems[:min(len(problems), maxProblems)]
	d.Refused++
	d.GiveUp(d.Query, d.Reason())
	EmitRefused(ctx, d.Query, d.Problems)
}

// Repair replaces the query by one in which code has removed its problems. It emits the
// same events as [Draft.Refuse] and [Draft.Write], and returns false as Write does. The query
// does not count as refused.
func (d *Draft) Repair(ctx context.Context, language, query string, problems []refusal.Problem) bool {
	if slices.Contains(d.Tried, fold(query)) {
		return false
	}
	d.Problems = problems[:min(len(problems), maxProblems)]
	d.GiveUp(d.Query, d.Reason()+" (repaired without the model)")
	EmitRefused(ctx, d.Query, d.Problems)
	return d.Write(ctx, language, query)
}

// GiveUp adds a query that is not used, or not used as it was written, to the
// corrections.
func (d *Draft) GiveUp(query, reason string) {
	d.Corrections = append(d.Corrections, qed.Correction{Query: query, Reason: reason})
}

// Reason returns the problems in one line. It is empty if there are none.
func (d *Draft) Reason() string { return Reason(d.Problems) }

// ProblemLines returns the problems for a prompt, one per entry.
func (d *Draft) ProblemLines() []string {
	return lists.Map(d.Problems, func(p refusal.Problem) string { return prompt.Clip(p.String(), maxProblem) })
}

// Earlier returns the corrections before the last one for a prompt, in one line
// each. Queries are cut after most bytes.
func (d *Draft) Earlier(most int) []qed.Correction {
	var earlier []qed.Correction
	for _, c := range d.Corrections[:max(len(d.Corrections)-1, 0)] {
		earlier = append(earlier, qed.Correction{
			Query:  prompt.Clip(prompt.OneLine(c.Query), most),
			Reason: prompt.Clip(prompt.OneLine(c.Reason), MaxEarlier),
		})
	}
	return earlier
}

const (
	maxProblems = 10
	maxProblem  = 4000 // bytes of one problem in a prompt
)

// MaxEarlier is the usual number of bytes of an earlier query in a prompt.
const MaxEarlier = 500

// Reason returns problems in one line.
func Reason(problems []refusal.Problem) string {
	return (&refusal.Error{Problems: problems}).Error()
}

// EmitRefused emits [qed.QueryRefused] with problems, of which there is at least
// one.
func EmitRefused(ctx context.Context, query string, problems []refusal.Problem) {
	first := problems[0]
	refused := qed.QueryRefused{
		Query:      query,
		Code:       string(first.Code),
		Name:       cmp.Or(first.Name, first.Path),
		Message:    first.Message,
		Candidates: first.Candidates,
	}
	if len(problems) > 1 {
		refused.Message = Reason(problems)
	}
	qed.Emit(ctx, refused)
}

// Bare returns a query without the code fence that models put around it.
func Bare(written string) string {
	written = strings.TrimSpace(written)
	inner, ok := strings.CutPrefix(written, "```")
	if !ok {
		return written
	}
	first, rest, found := strings.Cut(inner, "\n")
	if found && !strings.ContainsAny(strings.TrimSpace(first), " {") {
		inner = rest
	}
	inner = strings.TrimPrefix(inner, "json")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
}

// fold returns a query without its layout, so that a repeated query is noticed.
func fold(query string) string {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(query)) == nil {
		return compact.String()
	}
	return prompt.OneLine(query)
}
