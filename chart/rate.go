package chart

import (
	"fmt"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/refusal"
)

// combine chooses how the rows of one place are combined. It refuses sums and stacks of
// numbers that do not add up: averages, and shares that are more than a whole together.
func (d *drawing) combine(x, by *scale, number *field) error {
	if number == nil || !d.aggregate.addsUp() || d.aggregate == Count {
		return nil
	}
	if d.shared(x, by, number) {
		apart := d.apart(x, by, number, func(p place) place { return p })
		switch {
		case apart && d.aggregate == Sum:
			return d.refuseSum("/aggregate", number, "leave the aggregate out, or use mean")
		case apart:
			d.aggregate = Mean
			d.note(d.texts.Averaged, "column", number.label)
		case d.aggregate == "":
			d.aggregate = Sum
			d.note(d.texts.AddedUp, "column", number.label)
		}
	}
	whole := func(p place) place { return place{x: p.x} }
	switch d.kind {
	case Bar, StackedBar, Area:
		if by == nil || by.column == x.column {
			return nil
		}
	case Pie:
		whole = func(place) place { return place{} }
	default:
		return nil
	}
	if d.aggregate == Mean || d.apart(x, by, number, whole) {
		if d.kind != Bar {
			return d.refuseSum("/kind", number, "draw a grouped_bar, a bar or a line")
		}
		d.kind = GroupedBar
	}
	return nil
}

// apart reports whether the numbers of a whole do not add up.
func (d *drawing) apart(x, by *scale, number *field, whole func(place) place) bool {
	average, share := vegalite.Rate(number.name)
	if average || !share {
		return average
	}
	_, more := vegalite.MoreThanWhole(func(yield func(place, float64) bool) {
		for i, cell := range number.cells {
			v, isNumber := cell.(float64)
			if p, ok := placeOf(x, by, i); ok && isNumber && !yield(whole(p), v) {
				return
			}
		}
	})
	return more
}

func (d *drawing) refuseSum(path string, number *field, remedy string) error {
	return refuse(refusal.Problem{Code: ErrAggregateType, Path: path, Message: fmt.Sprintf(
		"the numbers of %s are averages, or shares of different wholes, by their name, and do not add up: %s",
		vegalite.Quoted(number.name), remedy)})
}
