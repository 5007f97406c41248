package searchagent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/refusal"
)

func TestDivide(t *testing.T) {
	refused := func(indices ...string) drafts.Draft {
		return drafts.Draft{Query: "{}", Refused: 1, Problems: []refusal.Problem{{Code: esquery.ErrIndicesDiffer, Candidates: indices}}}
	}
	for _, tt := range []struct {
		name  string
		tasks []task
		want  string
	}{
		{"an alias", []task{{Key: "a", Index: "all", Phase: drafting, Draft: refused("x", "y")}}, "a:x[] a_2:y[]"},
		{"two, and what needs one", []task{
			{Key: "a", Index: "all", Phase: drafting, Draft: refused("x", "y")}, {Key: "a_2", Index: "all", Phase: drafting, Draft: refused("x", "y")},
			{Key: "b", Index: "z", After: []string{"a"}},
		}, "a:x[] a_2_:y[] a_2:x[] a_2_2:y[] b:z[a a_2_]"},
		{"no names", []task{{Key: "a", Index: "all", Phase: drafting, Draft: refused()}}, "a:all[]"},
		{"given up", []task{{Key: "a", Index: "all", Phase: failed, Draft: refused("x", "y")}}, "a:all[]"},
		{"one document", []task{{Key: "a", Index: "all", One: true, Phase: drafting, Draft: refused("x", "y")}}, "a:all[]"},
		{"too many", []task{{Key: "a", Index: "all", Phase: drafting, Draft: refused("1", "2", "3", "4", "5", "6")}}, "a:all[]"},
	} {
		s := state{Tasks: tt.tasks}
		s.divide()
		var got []string
		for _, task := range s.Tasks {
			got = append(got, fmt.Sprint(task.Key, ":", task.Index, task.After))
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}
