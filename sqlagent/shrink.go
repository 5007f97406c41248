package sqlagent

import (
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/modelcall"
)

// What the prompts leave out if they are longer than the model's context: see
// [modelcall.Model.Request].

func (d *selectData) ShrinkRows() bool { return modelcall.Drop(&d.Known) }

func (d *selectData) Shrink() bool {
	return fewerColumns(d.Tables, 1) || fewerColumns(d.Tables, 0) || modelcall.Halve(&d.Tables, 1)
}

func (d *generateData) ShrinkRows() bool {
	dropped := false
	for i := range d.Tables {
		dropped = modelcall.Drop(&d.Tables[i].Sample) || dropped
	}
	return dropped || modelcall.Halve(&d.Examples, 0) || modelcall.Drop(&d.Known)
}

func (d *generateData) Shrink() bool {
	return modelcall.Halve(&d.Relationships, 0) || fewerColumns(d.Tables, leastColumns) || modelcall.Halve(&d.Values, 0)
}

func (d *correctData) ShrinkRows() bool { return modelcall.Halve(&d.Earlier, 0) }

func (d *correctData) Shrink() bool {
	return modelcall.Halve(&d.Relationships, 0) || fewerColumns(d.Tables, leastColumns) || modelcall.Halve(&d.Values, 0)
}

// ShrinkRows shows fewer rows: the figures of the answer are looked up in all of them.
func (d *answerData) ShrinkRows() bool {
	if d.Shown == 0 || d.room == 0 {
		return false
	}
	d.room = min(d.room, len(d.Rows)) / 2
	d.Rows, d.Shown = figures.Rows(d.table, len(d.table.Rows), d.room)
	return true
}

// leastColumns is how many columns a table keeps: its keys come first.
const leastColumns = 4

// fewerColumns leaves out the last half of the columns of tables that have more than least.
func fewerColumns(tables []promptTable, least int) bool {
	fewer := false
	for i := range tables {
		t := &tables[i]
		n := len(t.Columns)
		if modelcall.Halve(&t.Columns, least) {
			t.More += n - len(t.Columns)
			fewer = true
		}
	}
	return fewer
}
