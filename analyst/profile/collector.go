package profile

import (
	"cmp"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/prompt"
)

const (
	maxText   = 200    // bytes of a text that is kept
	maxSample = 50_000 // numbers of a random sample
)

// localNumber matches a number with a decimal comma, separators of thousands, a currency
// or a percent sign. It has no leading zeros, as codes have.
var localNumber = regexp.MustCompile(
	`^\s*[€$£]?\s*[-+]?(0|[1-9][0-9]{0,2}([.,'’][0-9]{3})+|[1-9][0-9]*)([.,][0-9]+)?\s*([%€$£]|EUR|USD|CHF|GBP)?\s*$`)

const maxNumber = 40 // bytes of such a text

// A value is a value of a column with the number of its rows.
type value struct {
	cell  any
	count int
	info
}

// info is what is known of a cell by itself.
type info struct {
	class  column.Class
	number float64 // of a number; of a time the seconds since 1970

	numeric bool // a text that looks like a number or a time, in a column of texts
	local   bool // the same, as people write numbers: 1.234,50
	spaces  bool // a text with white space around it
	odd     bool // a suspicious date
}

// A collector collects what the cells of a column are.
type collector struct {
	columnType string
	reader     column.Reader // by the type of the column
	shape      column.Reader // by the text alone
	seed       maphash.Seed

	rows    int
	nulls   int
	classes [column.Classes]int
	numeric int
	local   int
	spaces  int
	odd     int

	textCells int // cells that are texts in the database

	numbers, times, texts extremes

	sum    numeric.Stream
	drawn  []float64 // a random sample of the numbers
	draws  int
	random *rand.Rand

	values *sampler[*value]

	// frequent are the most frequent values of each class. It is nil unless the
	// column is read by its values.
	frequent [][]*value
}

func newCollector(columnType string, size int, seed maphash.Seed) *collector {
	return &collector{
		columnType: columnType,
		reader:     column.NewReader(columnType, ""),
		shape:      column.NewReader("", ""),
		seed:       seed,
		random:     rand.New(rand.NewPCG(sampleSeed, sampleSeed)),
		values:     newSampler[*value](size),
	}
}

// addColumn adds the cells of column i, and returns their hashes.
func (c *collector) addColumn(rows [][]any, i int) ([]uint64, error) {
	hashes := make([]uint64, len(rows))
	for row, cells := range rows {
		var err error
		if hashes[row], err = c.add(cells[i]); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// add adds a cell and returns its hash.
func (c *collector) add(cell any) (uint64, error) {
	c.rows++
	hash := hashOf(c.seed, cell)
	if cell == nil {
		c.nulls++
		c.classes[column.CellMissing]++
		return hash, nil
	}
	sampled := c.values.samples(hash)
	if known := c.values.values[hash]; sampled && known != nil {
		known.count++
		c.note(&known.info, cell, 1)
		return hash, nil
	}
	about, err := c.inspect(cell)
	if err != nil {
		return 0, err
	}
	v := value{cell: cell, count: 1, info: about}
	c.first(&v)
	if sampled && about.class != column.CellMissing {
		c.values.add(hash, v.copy())
	}
	return hash, nil
}

// first notes a value of which nothing is known yet.
func (c *collector) first(v *value) {
	c.note(&v.info, v.cell, v.count)
	switch v.class {
	case column.CellNumber:
		c.numbers.add(v, byNumber)
	case column.CellTime:
		c.times.add(v, byNumber)
	}
	if _, ok := v.cell.(string); ok && v.class != column.CellMissing {
		c.texts.add(v, byCell)
	}
}

// copy returns a value that does not refer to the memory of its row.
func (v *value) copy() *value {
	out := *v
	if text, ok := v.cell.(string); ok {
		out.cell = strings.Clone(prompt.Clip(text, maxText))
	}
	return &out
}

// inspect returns what a cell is by itself.
func (c *collector) inspect(cell any) (out info, err error) {
	class, number, at, err := c.reader.Classify(cell)
	if err != nil {
		return out, err
	}
	out.class, out.number = class, number
	if text, ok := cell.(string); ok && class != column.CellMissing {
		out.spaces = strings.TrimSpace(text) != text
		if class == column.CellText {
			shape, _, _, _ := c.shape.Classify(cell)
			out.numeric = shape == column.CellNumber
			out.local = !out.numeric && len(text) <= maxNumber && localNumber.MatchString(text)
		}
	}
	if class == column.CellTime || class == column.CellPlaceholder && !at.IsZero() {
		out.number = float64(at.Unix()) + float64(at.Nanosecond())/float64(time.Second)
		out.odd = at.Year() < 1900 || at.Year() > 2100
	}
	return out, nil
}

// note counts cells that are equal and not null.
func (c *collector) note(about *info, cell any, cells int) {
	c.classes[about.class] += cells
	if about.numeric {
		c.numeric += cells
	}
	if about.local {
		c.local += cells
	}
	if about.spaces {
		c.spaces += cells
	}
	if about.odd {
		c.odd += cells
	}
	if about.class == column.CellNumber {
		c.sum.Add(about.number, cells)
		for range cells {
			c.draw(about.number)
		}
	}
	if _, ok := cell.(string); ok && about.class != column.CellMissing {
		c.textCells += cells
	}
}

// draw adds a number to the random sample (algorithm R of Vitter, 1985).
func (c *collector) draw(v float64) {
	c.draws++
	if len(c.drawn) < maxSample {
		c.drawn = append(c.drawn, v)
	} else if i := c.random.IntN(c.draws); i < maxSample {
		c.drawn[i] = v
	}
}

// extremes are the first and the last value in an order, or nil.
type extremes struct{ min, max *value }

func (e *extremes) add(v *value, compare func(a, b *value) int) {
	first := e.min == nil || compare(v, e.min) < 0
	last := e.max == nil || compare(v, e.max) > 0
	if !first && !last {
		return
	}
	kept := *v
	if text, ok := v.cell.(string); ok {
		kept.cell = strings.Clone(text)
	}
	if first {
		e.min = &kept
	}
	if last {
		e.max = &kept
	}
}

func byNumber(a, b *value) int { return cmp.Compare(a.number, b.number) }

func byCell(a, b *value) int { return compare(a.cell, b.cell) }

// comparable reports whether the database compares the cells with numbers.
func (c *collector) comparable() bool {
	if c.rows != c.nulls+c.classes[column.CellNumber] {
		return false
	}
	name := strings.ToLower(c.columnType)
	return c.textCells == 0 || strings.Contains(name, "decimal") || strings.Contains(name, "numeric")
}

// A weighted is numbers in ascending order with the rows of each.
type weighted struct {
	numbers []float64
	rows    []int
	total   int
}

func newWeighted(values []*value) *weighted {
	slices.SortFunc(values, byNumber)
	w := &weighted{}
	for _, v := range values {
		w.numbers, w.rows = append(w.numbers, v.number), append(w.rows, v.count)
		w.total += v.count
	}
	return w
}

// quantile returns a quantile, interpolated like that of package sample.
func (w *weighted) quantile(p float64) float64 {
	h := p * float64(w.total-1)
	first := int(h)
	for i, seen := 0, 0; i < len(w.rows); i++ {
		seen += w.rows[i]
		if seen <= first {
			continue
		}
		next := i
		if seen == first+1 && i+1 < len(w.rows) {
			next++
		}
		return numeric.Quantile(h-float64(first), []float64{w.numbers[i], w.numbers[next]})
	}
	return w.numbers[len(w.numbers)-1]
}

// deviations returns the distances from a number.
func (w *weighted) deviations(from float64) *weighted {
	values := make([]*value, len(w.numbers))
	for i, v := range w.numbers {
		values[i] = &value{info: info{number: numeric.Finite(math.Abs(v - from))}, count: w.rows[i]}
	}
	return newWeighted(values)
}

func (w *weighted) mean() float64 {
	var large float64
	for i, v := range w.numbers {
		large += v * (float64(w.rows[i]) / float64(w.total))
	}
	return numeric.Finite(large)
}

// count returns the number of rows whose number in accepts.
func (w *weighted) count(in func(float64) bool) (rows int) {
	for i, v := range w.numbers {
		if in(v) {
			rows += w.rows[i]
		}
	}
	return rows
}
