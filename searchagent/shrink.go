package searchagent

import (
	"strings"

	"github.com/qedkit/qed/internal/modelcall"
)

// What the prompts leave out if they are longer than the model's context: see
// [modelcall.Model.Request].

func (d *answerData) ShrinkRows() bool { return fewerDocuments(d.Found) }

func (d *generateData) ShrinkRows() bool {
	return fewerDocuments(d.Found) || modelcall.Halve(&d.Earlier, 0)
}

func (d *generateData) Shrink() bool { return modelcall.HalveLines(&d.Index.Fields, leastFields) }

func (d *planData) Shrink() bool {
	fewer := false
	for i := range d.Indices {
		fewer = modelcall.HalveLines(&d.Indices[i].Fields, leastFields) || fewer
	}
	return fewer
}

// leastFields is how many lines of fields an index keeps.
const leastFields = 4

// fewerDocuments leaves out the last half of the documents of tasks.
func fewerDocuments(tasks []promptTask) bool {
	fewer := false
	for i := range tasks {
		t := &tasks[i]
		if modelcall.HalveLines(&t.Documents, 0) {
			t.Shown /= 2
			fewer = true
		}
		if modelcall.HalveLines(&t.Figures, 1) { // the first line has the names
			t.Rows, t.More = strings.Count(t.Figures, "\n"), true
			fewer = true
		}
	}
	return fewer
}
