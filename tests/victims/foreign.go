package main

import (
	"fmt"
	"os"
)

func main() {
	for i := 0; i < 100; i++ {
		fmt.Printf("line %d\n", i)
	}
	fmt.Fprintln(os.Stderr, "on stderr")
	os.Exit(6)
}
