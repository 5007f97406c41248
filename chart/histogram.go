package chart

import (
	"fmt"
	"math"
	"strconv"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

const maxBins = 30

// histogram counts the rows in ranges of equal width, or by date.
func (d *drawing) histogram() (object, error) {
	if d.x.typ == vegalite.Temporal {
		d.aggregate = Count
		return d.places()
	}
	from, to := d.field(d.x.name), d.field(d.x.name+" end")
	count := d.field("count")
	var by *scale
	if d.by != nil {
		by = d.newScale(d.by)
		if len(by.values) > vegalite.MaxCategories || d.by.typ == vegalite.Quantitative && len(by.values) > few {
			return nil, d.tooMany("/color", d.by)
		}
		by.field = from
		if d.by != d.x {
			by.field = d.field(d.by.name)
		}
	}
	bins := d.bins()
	counts := map[place]int{}
	left := 0
	for i, cell := range d.x.cells {
		v, ok := cell.(float64)
		p := place{x: bins.index(v)}
		if ok && by != nil {
			p.by, ok = by.order[by.cells[i]]
		}
		if !ok {
			left++
			continue
		}
		counts[p]++
	}
	if left > 0 {
		d.noteRows(d.texts.NotCounted, left)
	}
	colors := 1
	if by != nil {
		colors = len(by.values)
	}
	for x := range bins.n {
		for c := range colors {
			n := counts[place{x: x, by: c}]
			if n == 0 {
				continue
			}
			row := object{from: bins.start(x), to: bins.start(x + 1), count: n}
			if by != nil && by.field != from {
				row[by.field] = by.data(by.values[c])
			}
			d.data = append(d.data, row)
		}
	}
	encoding := object{
		"x": object{
			"field": vegalite.Escape(from), "type": vegalite.Quantitative, "title": vegalite.Title(d.x.label),
			"bin": object{"binned": true, "step": bins.step},
		},
		"x2": object{"field": vegalite.Escape(to)},
		"y":  object{"field": vegalite.Escape(count), "type": vegalite.Quantitative, "title": vegalite.Title(d.texts.NumberOfRows), "stack": "zero"},
	}
	if by != nil && by.field != from {
		encoding["color"] = by.channel(true)
	}
	body := object{"mark": object{"type": "bar", "tooltip": true}, "encoding": encoding}
	return body, nil
}

// A binning is ranges of equal width.
type binning struct {
	step  float64
	first float64 // start of the first range, in steps
	n     int
}

// bins returns the ranges for the numbers on x.
func (d *drawing) bins() binning {
	low, high := math.Inf(1), math.Inf(-1)
	for _, cell := range d.x.cells {
		if v, ok := cell.(float64); ok {
			low, high = min(low, v), max(high, v)
		}
	}
	step := binStep(low, high, d.x.values, d.x.whole)
	first := math.Floor(low / step)
	return binning{step: step, first: first, n: int(min(math.Floor(high/step)-first+1, 4*maxBins))}
}

func (b binning) index(v float64) int { return min(b.n-1, max(0, int(math.Floor(v/b.step)-b.first))) }
func (b binning) start(i int) float64 { return (b.first + float64(i)) * b.step }

// binStep returns a width of 1, 2 or 5 times a power of ten.
func binStep(low, high float64, values int, whole bool) float64 {
	bins := min(maxBins, max(5, math.Sqrt(float64(values))))
	wide := high/bins - low/bins
	if wide == 0 || math.IsNaN(wide) {
		wide = math.Abs(high) / 10
	}
	if wide == 0 || whole && wide < 1 {
		return 1
	}
	power := math.Floor(math.Log10(wide))
	for _, digit := range []string{"1", "2", "5"} {
		// Parsed, because a computed power of ten may be rounded.
		if step, err := strconv.ParseFloat(fmt.Sprintf("%se%d", digit, int(power)), 64); err == nil && step >= wide {
			return step
		}
	}
	step, err := strconv.ParseFloat(fmt.Sprintf("1e%d", int(power)+1), 64)
	if err != nil || step == 0 {
		return wide
	}
	return step
}
