package joinpath

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// Connection is the answer of [Graph.Connect].
type Connection struct {
	// Plans all cost the same and join the same tables; several mean that the
	// schema alone does not tell which is meant. There is at least one. They
	// come in an order that depends on nothing but their joins.
	Plans []Plan
	// More says that there are more than [Options.MaxPlans].
	More bool
	// Approximate says that there were too many tables for an exact answer.
	// There is one plan then, of at most twice the lowest cost.
	Approximate bool
}

// Connect returns the cheapest trees of joins that hold all the given tables,
// and further tables where they are needed on the way. Each plan begins with the
// table named first. A table named twice counts once; one table gives a plan
// without joins. [Options.MaxHops] does not apply.
//
// The answer is exact for up to eight tables, and for more as long as the work
// stays small: a dozen of a hundred-odd tables are no trouble. Beyond that it is
// Mehlhorn's approximation.
//
// The error is an [*Error] of kind [ErrUnknownTable], [ErrDisconnected] with the
// groups that can be joined, or [ErrArgument] where no table is given; or that
// of ctx.
func (g *Graph) Connect(ctx context.Context, tables ...string) (Connection, error) {
	if len(tables) == 0 {
		return Connection{}, &Error{Err: ErrArgument, Detail: "no tables to connect"}
	}
	ids, err := g.lookup(tables...)
	if err != nil {
		return Connection{}, err
	}
	first := ids[0]
	slices.Sort(ids)
	ids = slices.Compact(ids)
	key := treeKey(first, ids)
	if c, ok := g.trees.get(key); ok {
		c.Plans = slices.Clone(c.Plans)
		return c, nil
	}
	if groups := g.group(ids); len(groups) > 1 {
		return Connection{}, g.disconnected(groups)
	}
	found, err := g.steiner(ctx, ids)
	if err != nil {
		return Connection{}, fmt.Errorf("joinpath: connect: %w", err)
	}
	c := Connection{More: found.more, Approximate: found.approximate}
	size := len(key)
	for _, edges := range found.trees {
		c.Plans = append(c.Plans, g.spread(first, edges))
		size += len(edges)
	}
	if size <= mostCached {
		stored := c
		stored.Plans = slices.Clone(c.Plans)
		g.trees.put(key, stored)
	}
	return c, nil
}

// mostCached bounds the size of one cached answer, in joins.
const mostCached = 2048

func treeKey(first int32, ids []int32) string {
	key := make([]byte, 0, 4*(len(ids)+1))
	key = binary.NativeEndian.AppendUint32(key, uint32(first))
	for _, id := range ids {
		key = binary.NativeEndian.AppendUint32(key, uint32(id))
	}
	return string(key)
}
