package joinpath

// queue is a heap of tables or places by distance, then by number. Each node has four
// children, which share a cache line.
type queue []reached

type reached struct {
	distance int64
	at       int32
}

func (a reached) before(b reached) bool {
	return a.distance < b.distance || a.distance == b.distance && a.at < b.at
}

func (q *queue) push(x reached) {
	h := append(*q, x)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !x.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = x
	*q = h
}

func (q *queue) pop() reached {
	h := *q
	top := h[0]
	last := h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(h)); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if !h[least].before(last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	if len(h) > 0 {
		h[i] = last
	}
	return top
}
