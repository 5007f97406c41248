package joinpath

// Cardinality is how many rows of one side belong to one row of the other. The
// empty Cardinality means unknown.
type Cardinality string

// The cardinalities, read from left to right: with [ManyToOne], many rows of
// the left table belong to one row of the right.
const (
	ManyToOne  Cardinality = "N:1"
	OneToMany  Cardinality = "1:N"
	OneToOne   Cardinality = "1:1"
	ManyToMany Cardinality = "N:M"
)

// Reversed returns the cardinality read from right to left.
func (c Cardinality) Reversed() Cardinality {
	switch c {
	case ManyToOne:
		return OneToMany
	case OneToMany:
		return ManyToOne
	}
	return c
}

// FansOut reports whether a join from left to right can multiply rows: one row on
// the left can match several on the right. It is true for an unknown
// cardinality.
func (c Cardinality) FansOut() bool {
	return c != ManyToOne && c != OneToOne
}

func (c Cardinality) valid() bool {
	switch c {
	case "", ManyToOne, OneToMany, OneToOne, ManyToMany:
		return true
	}
	return false
}

func cardinality(manyLeft, manyRight bool) Cardinality {
	switch {
	case manyLeft && manyRight:
		return ManyToMany
	case manyLeft:
		return ManyToOne
	case manyRight:
		return OneToMany
	}
	return OneToOne
}
