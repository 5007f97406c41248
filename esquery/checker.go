package esquery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// A checker walks through one body and collects its problems.
type checker struct {
	v        *Validator
	index    *index
	trusted  bool // the text was written by the host: it may use sensitive fields
	problems []refusal.Problem
	faults   int // problems without a fix, including those above maxProblems
	path     []step

	treeScope

	depth   int // nesting of queries and aggregations at the current location
	clauses int // queries so far
	topped  int // hits of the largest top_hits so far
	marked  int // highlighted fields so far
	points  int // points so far from which hits are sorted
	aggs    int // aggregations so far
	filters int // queries of filters aggregations so far
	lookups int // words and patterns so far that are compared with those of the index

	cut     []cutField // the fields of [Unindexed]
	topHits []*value   // those of the body, which return documents

	compared int // field names that were compared to find candidates
	patterns int // name patterns so far
}

// A step is one part of a path: the key of an object or, if index is not
// negative, the index of an array.
type step struct {
	key   string
	index int
}

// in and at enter a member or an item: problems that follow have its path. Each
// call needs a call of out.
func (c *checker) in(key string) { c.path = append(c.path, step{key: key, index: -1}) }
func (c *checker) at(index int)  { c.path = append(c.path, step{index: index}) }
func (c *checker) out()          { c.path = c.path[:len(c.path)-1] }

// report adds a problem at the current location.
func (c *checker) report(code refusal.Code, candidates []string, format string, args ...any) {
	c.add(refusal.Problem{Code: code, Candidates: candidates, Message: fmt.Sprintf(format, args...)})
}

// fixed adds a problem that was corrected.
func (c *checker) fixed(code refusal.Code, fix, format string, args ...any) {
	c.add(refusal.Problem{Code: code, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) add(p refusal.Problem) {
	if p.Fix == "" {
		c.faults++
	}
	if len(c.problems) >= maxProblems {
		return
	}
	p.Path = c.pointer()
	p.Message = prompt.Clip(p.Message, maxMessage)
	c.problems = append(c.problems, p)
}

const (
	maxProblems   = 100
	maxMessage    = 500
	maxQuoted     = 80
	maxCandidates = 5
)

// quoted returns a name or literal of the body as messages show it.
func quoted(s string) string { return strconv.Quote(prompt.Clip(s, maxQuoted)) }

// pointer returns the current location as a JSON Pointer.
func (c *checker) pointer() string {
	var b strings.Builder
	for _, s := range c.path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s.key, "~", "~0"), "/", "~1"))
	}
	return b.String()
}
