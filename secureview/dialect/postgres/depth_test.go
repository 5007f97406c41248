package postgres

import (
	"errors"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/sqlast"
)

// TestRunsOfSigns: a sequence of operator characters has the levels of the
// operators that the lexer finds in it, and the grammar is given at most as many
// as any other chain may have.
func TestRunsOfSigns(t *testing.T) {
	for _, tt := range []struct {
		run  string
		want int
	}{
		{"+-", 2}, {"+-+-", 4}, {"-+- +-", 5}, {"*+-", 3}, {"=-", 2}, {"<=-+", 3}, {"@-", 1}, {"~+-", 1}, {"+@-+", 1}, {"+/**/-", 2}, {"||-", 1}, {"- -", 2},
	} {
		n := maxOperators / tt.want
		accepted, refused := "SELECT "+strings.Repeat(tt.run+" ", n)+"1", "SELECT "+strings.Repeat(tt.run+" ", n+1)+"1"
		if err := checkDepth(accepted); err != nil {
			t.Errorf("%d times %s: %v", n, tt.run, err)
		}
		var e *sqlast.Error
		if err := checkDepth(refused); !errors.As(err, &e) || e.Code != sqlast.TooDeep {
			t.Errorf("%d times %s: %v", n+1, tt.run, err)
		}
	}
}

// TestOperators: a list of values may be as long as a text, and operators of different
// entries of a list count together.
func TestOperators(t *testing.T) {
	list := func(start, entry string, n int, end string) string {
		return "SELECT " + start + entry + strings.Repeat(","+entry, n-1) + end
	}
	for _, text := range []string{
		list("a FROM t WHERE a IN (", "1", 4000, ")"), list("", "a", 4000, " FROM t"), list("", "a = b", 400, " FROM t"),
		list("a FROM t WHERE ", "(a = 1 OR a BETWEEN 1 AND 2 AND NOT b)", 75, ""), list("", "CASE a WHEN 1 THEN 2 END", 133, ""),
	} {
		if err := checkDepth(text); err != nil {
			t.Errorf("%.40s..: %v", text, err)
		}
	}
	for _, text := range []string{
		list("", "a = b", 401, " FROM t"), list("", "CASE a WHEN 1 THEN 2 END", 134, ""), list("", "a BETWEEN 1 AND 2", 201, ""),
		list("", "a", 1, strings.Repeat(" UNION SELECT a", 401)), list("", "a", 1, strings.Repeat(" intersect SELECT a", 401)),
	} {
		var e *sqlast.Error
		if err := checkDepth(text); !errors.As(err, &e) || e.Code != sqlast.TooDeep {
			t.Errorf("%.40s..: %v", text, err)
		}
	}
}

// TestDepthOfGenerated: a generated text that checkDepth accepts has a tree that is
// at most twice as deep as the limit, and does not make the grammar panic. The
// texts combine the productions of the grammar and repeat them as often as
// checkDepth accepts.
func TestDepthOfGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("reads texts as deep as the bounds allow")
	}
	const seed = 17
	rng := rand.New(rand.NewPCG(seed, seed))
	read, deepest := 0, 0
	for range *generated {
		text := randomNest(rng)
		tree, err := parse(text)
		if errors.Is(err, errGrammarFails) {
			t.Errorf("seed %d: the grammar panics on %.300q", seed, text)
		}
		if err != nil {
			continue
		}
		read++
		depth := tree.depth()
		deepest = max(deepest, depth)
		if depth > 2*maxOperators+50 {
			t.Errorf("seed %d: the tree has %d levels: %.300q", seed, depth, text)
		}
	}
	if t.Logf("%d texts were read, the deepest tree has %d levels", read, deepest); read < *generated/4 || deepest < maxOperators/2 {
		t.Errorf("only %d texts were read, the deepest tree has %d levels", read, deepest)
	}
}

// randomNest returns a text that repeats a random sequence of productions as often
// as checkDepth and a length of 8 KB allow.
func randomNest(rng *rand.Rand) string {
	var before, after string
	for range 1 + rng.IntN(4) {
		s := nested[rng.IntN(len(nested))]
		if rng.IntN(4) == 0 {
			s = repetition{before: randomSigns(rng)}
		}
		n := 1 + rng.IntN(3)
		before += strings.Repeat(s.before, n)
		after = strings.Repeat(s.after, n) + after
	}
	s := repetition{start: "SELECT ", before: before, middle: "1", after: after}
	most := sqlast.MaxText / (len(before) + len(after))
	return s.times(max(1, sort.Search(most, func(n int) bool { return checkDepth(s.times(n+1)) != nil })))
}

// nested are the shapes of expressions.
var nested = func() (list []repetition) {
	for _, s := range shapes {
		if s.start == "SELECT " && s.end == "" && len(s.before)+len(s.after) > 0 && !strings.HasPrefix(s.after, ",") {
			list = append(list, s)
		}
	}
	return list
}()

func randomSigns(rng *rand.Rand) string {
	const signs = "+-+-+-*/<>=~!@#%^&| "
	b := []byte{"+-~@"[rng.IntN(4)]}
	for range rng.IntN(8) {
		b = append(b, signs[rng.IntN(len(signs))])
	}
	return string(b) + " "
}

// depth returns how many messages of a tree contain one another. A text that looks
// like a message counts as one.
func (m message) depth() (deepest int) {
	defer func() { _ = recover() }() // a text
	for len(m) > 0 {
		if f := m.next(); f.data != nil {
			deepest = max(deepest, 1+f.data.depth())
		}
	}
	return deepest
}
