package references_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/qedkit/qed/references"
)

type sample struct {
	Lang, Tier, Text string
	Expected, Types  []string
}

func samples(tb testing.TB) (all []sample) {
	f, err := os.Open("/work/shared/corpora/references.jsonl")
	if err != nil {
		tb.Skip(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var s sample
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			tb.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func bare(s string) string { return strings.Trim(s, " \t\n()[]<>,.;") }

func TestDev(t *testing.T) {
	group := map[string]string{"statute": "law", "law": "law"}
	var hit, miss, wrong int
	for _, s := range samples(t) {
		if s.Lang != "de" {
			continue
		}
		want := map[string]int{}
		other := map[string]bool{}
		for i, e := range s.Expected {
			if group[s.Types[i]] == "law" {
				want[bare(e)]++
			} else {
				other[bare(e)] = true
			}
		}
		for _, r := range references.Find(s.Text) {
			if r.Kind != references.Law {
				continue
			}
			b := bare(r.Text)
			if want[b] > 0 {
				want[b]--
				hit++
			} else if !other[b] {
				wrong++
				if os.Getenv("SHOW") != "" {
					i := max(0, r.From-40)
					fmt.Printf("FALSE %q in %q; want %q\n", r.Text, s.Text[i:min(len(s.Text), r.To+60)], s.Expected)
				}
			}
		}
		for e, n := range want {
			if n > 0 {
				miss += n
				if os.Getenv("SHOW") != "" {
					fmt.Printf("MISS %q\n", e)
				}
			}
		}
	}
	p, r := float64(hit)/float64(hit+wrong), float64(hit)/float64(hit+miss)
	fmt.Printf("hit %d miss %d wrong %d P %.3f R %.3f F1 %.3f\n", hit, miss, wrong, p, r, 2*p*r/(p+r))
}
