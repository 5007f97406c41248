// Package lists has loops over lists that many packages need.
package lists

import "slices"

// Map returns f of each element of list, in order. It returns nil for an empty list.
func Map[T, U any](list []T, f func(T) U) []U {
	if len(list) == 0 {
		return nil
	}
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Filter returns the elements of list for which keep is true, in order. It returns nil if
// there are none.
func Filter[T any](list []T, keep func(T) bool) (kept []T) {
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Count returns the number of elements of list for which is is true.
func Count[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

// Add appends those of more that list does not have, each once. Unlike append, it does not
// write into the array of list.
func Add[T comparable](list []T, more ...T) []T {
	list = slices.Clip(list)
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// Set returns the set of f of each element of list.
func Set[T any, K comparable](list []T, f func(T) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, x := range list {
		set[f(x)] = true
	}
	return set
}

// Sum returns the sum of f of each element of list.
func Sum[T any](list []T, f func(T) int) (sum int) {
	for _, x := range list {
		sum += f(x)
	}
	return sum
}

// Indexes returns the numbers from 0 to n-1.
func Indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
