package esquery

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// checker walks through one body and notes what is wrong with it.
type checker struct {
	v        *Validator
	index    *index
	trusted  bool // the text is the host's: it may use sensitive fields
	problems []Problem
	faults   int // problems that nothing mended, noted or not
	path     []step

	// nested is the nested object into which the clauses at hand look; empty: the
	// document itself.
	nested string

	depth   int // of queries and aggregations, at hand
	clauses int // queries so far
	inner   int // inner hits of each hit so far

	looked   int // names of fields that were looked through for what could be meant
	patterns int // of names so far
}

// step is a key of an object or, with an empty key, an index of an array, on the
// way to the value at hand.
type step struct {
	key   string
	index int
}

// in is the member of that key, and at the item of that index, as the place of the
// problems that follow, up to out.
func (c *checker) in(key string) { c.path = append(c.path, step{key: key, index: -1}) }
func (c *checker) at(index int)  { c.path = append(c.path, step{index: index}) }
func (c *checker) out()          { c.path = c.path[:len(c.path)-1] }

// report notes a problem with what is at hand.
func (c *checker) report(code Code, candidates []string, format string, args ...any) {
	c.note(Problem{Code: code, Candidates: candidates, Message: fmt.Sprintf(format, args...)})
}

// fixed notes a problem that was mended, and how.
func (c *checker) fixed(code Code, fix, format string, args ...any) {
	c.note(Problem{Code: code, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) note(p Problem) {
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
	maxProblems = 100
	maxMessage  = 500
	maxQuoted   = 80
)

// quoted is a name or literal of the body as a message shows it.
func quoted(s string) string { return strconv.Quote(prompt.Clip(s, maxQuoted)) }

// pointer is where the walk is, as a JSON Pointer.
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

// verdict orders the problems and says what they come to.
func (c *checker) verdict() Verdict {
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return cmp.Compare(a.Code.order(), b.Code.order()) })
	switch {
	case c.faults > 0:
		return Refused
	case len(c.problems) > 0:
		return Fixed
	}
	return OK
}
