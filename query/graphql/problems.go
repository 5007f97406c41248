package graphql

import (
	"fmt"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

const (
	maxProblems   = 20  // of an error
	maxMessage    = 400 // bytes
	maxCandidates = 5   // of a problem
)

// A pending problem has no candidates yet. They are only looked up for problems
// that are reported, because comparing a name with a whole schema is slow.
type pending struct {
	refusal.Problem
	meant meant
}

// meant is a name that does not exist, and the names that may have been meant.
type meant struct {
	name  string
	names func() []string // the names to compare with; nil: none
	known []string        // the candidates, if they are known already
}

// maxCompared is how many names are compared for one error.
const maxCompared = 20_000

// withCandidates returns the problems with their candidates. It compares until
// maxCompared is reached, the first problems first.
func withCandidates(list []pending) []refusal.Problem {
	problems := make([]refusal.Problem, len(list))
	left := maxCompared
	for i, p := range list {
		problems[i] = p.Problem
		problems[i].Candidates = p.meant.known
		if p.meant.names == nil {
			continue
		}
		if names := p.meant.names(); len(names) <= left {
			left -= len(names)
			problems[i].Candidates = candidates(p.meant.name, names)
		}
	}
	return problems
}

// candidates returns the names that may have been meant by name.
func candidates(name string, names []string) []string {
	return refusal.Nearest(name, names, maxCandidates)
}

// refused returns an error of one problem that has no position in a query.
func refused(code refusal.Code, path, format string, args ...any) *refusal.Error {
	return refusedFor(refusal.Problem{
		Code: code, Path: clip(path, maxMessage), Message: clip(fmt.Sprintf(format, args...), maxMessage),
	})
}

func refusedFor(problems ...refusal.Problem) *refusal.Error {
	return &refusal.Error{Package: "graphql", Problems: problems}
}

// clip shortens s to n bytes: the texts of queries and servers are not bounded.
func clip(s string, n int) string { return prompt.Clip(s, n) }
