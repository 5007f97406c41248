package values

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/qedkit/qed/internal/textmatch"
)

// A fileReader reads sections that a fileWriter wrote. After a section that is not as it
// has to be, wrong is set and what is read has no meaning.
type fileReader struct {
	rest  []byte
	wrong bool
}

// index reads the index of columns, and sets their values.
func (r *fileReader) index(columns []Column) *index {
	x := &index{columns: namesOf(columns), trigrams: &textmatch.Trigrams{}}
	x.values = r.texts()
	x.inColumns = r.lists(len(x.values), len(columns))
	x.forms = r.ints(len(x.values))
	x.words = r.texts()
	x.wordsOf = r.lists(len(x.forms), len(x.words))
	x.byStem, x.byEnd = r.ints(len(x.words)), r.ints(len(x.words))
	x.trigrams.Groups = r.groups()
	near := r.lists(len(x.trigrams.Groups), len(x.words))
	x.trigrams.At, x.trigrams.Words, x.trigrams.Lengths = near.at, near.ids, bytes.Clone(r.section())
	if r.wrong = r.wrong || len(x.trigrams.Lengths) != len(x.words); r.wrong {
		return nil
	}
	x.formsOf = x.wordsOf.inverse(len(x.words))
	of := x.inColumns.inverse(len(columns))
	for i := range columns {
		for _, id := range of.of(int32(i)) { // in the order of the values, which are sorted
			columns[i].Values = append(columns[i].Values, x.values[id])
		}
	}
	return x
}

func (r *fileReader) section() []byte {
	if len(r.rest) < 4 {
		r.wrong = true
		return nil
	}
	n := binary.LittleEndian.Uint32(r.rest)
	if r.rest = r.rest[4:]; uint64(n) > uint64(len(r.rest)) {
		r.wrong = true
		return nil
	}
	section := r.rest[:n]
	r.rest = r.rest[n:]
	return section
}

// ints reads numbers from 0 up to a limit.
func (r *fileReader) ints(limit int) []int32 {
	b := r.section()
	r.wrong = r.wrong || len(b)%4 != 0
	ids := make([]int32, len(b)/4)
	for i := range ids {
		id := binary.LittleEndian.Uint32(b[4*i:])
		r.wrong = r.wrong || uint64(id) >= uint64(limit)
		ids[i] = int32(id)
	}
	return ids
}

// lists reads n lists of numbers up to a limit.
func (r *fileReader) lists(n, limit int) lists {
	l := lists{r.ints(math.MaxInt32), r.ints(limit)}
	if len(l.at) != n+1 || l.at[0] != 0 || !slices.IsSorted(l.at) || int(l.at[n]) != len(l.ids) {
		r.wrong = true
	}
	return l
}

// texts reads texts that are sorted and differ.
func (r *fileReader) texts() []string {
	ends, all := r.ints(math.MaxInt32), string(r.section())
	texts := make([]string, len(ends))
	begin := 0
	for i, end := range ends {
		if int(end) < begin || int(end) > len(all) {
			r.wrong = true
			return nil
		}
		texts[i] = all[begin:end]
		r.wrong = r.wrong || i > 0 && texts[i-1] >= texts[i]
		begin = int(end)
	}
	r.wrong = r.wrong || begin != len(all)
	return texts
}

func (r *fileReader) groups() []uint64 {
	b := r.section()
	r.wrong = r.wrong || len(b)%8 != 0
	groups := make([]uint64, len(b)/8)
	for i := range groups {
		groups[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return groups
}
