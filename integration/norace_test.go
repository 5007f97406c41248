//go:build !race

package integration_test

const raceFactor = 1
