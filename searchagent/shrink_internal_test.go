package searchagent

import (
	"strings"
	"testing"
)

// A prompt gives up documents and rows before fields, says how many are left, and ends.
func TestShrink(t *testing.T) {
	d := &generateData{
		Index: promptIndex{Fields: strings.Repeat("name text\n", 40)},
		Found: []promptTask{{Documents: "{}\n{}\n{}\n{}", Shown: 4, Total: 9}, {Figures: "[\"a\"]\n[1]\n[2]\n[3]", Rows: 3}},
	}
	steps := 0
	for d.ShrinkRows() || d.Shrink() {
		if steps++; steps > 20 {
			t.Fatal("it does not end")
		}
		if n := strings.Count(d.Found[0].Documents, "{}"); n != d.Found[0].Shown {
			t.Errorf("%d documents, and %d are said to be shown", n, d.Found[0].Shown)
		}
		if n := strings.Count(d.Found[1].Figures, "\n"); n != d.Found[1].Rows || !d.Found[1].More {
			t.Errorf("%d rows: %+v", n, d.Found[1])
		}
		if d.Found[0].Shown > 0 && strings.Count(d.Index.Fields, "name") < 40 {
			t.Error("fields went before documents")
		}
	}
	if n := strings.Count(d.Index.Fields, "name"); n != leastFields || d.Found[0].Total != 9 {
		t.Errorf("%d fields, %+v", n, d.Found)
	}
}
