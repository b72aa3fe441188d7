package quality

import (
	"fmt"
	"strconv"
	"strings"
)

// Mix is another distribution of tasks and of faulty answers for a data set; figures are re-weighted to it.
type Mix struct {
	Dataset string
	Tasks   []TaskMix
}

// TaskMix is the weight of one task of a mix.
type TaskMix struct {
	Task      string
	Positives float64 // faulty answers
	Rows      float64
}

// ParseMix reads "ragtruth:qa=160/900,summary=204/900": the data set, then faulty answers of all answers by task.
func ParseMix(text string) (Mix, error) {
	dataset, list, ok := strings.Cut(text, ":")
	m := Mix{Dataset: dataset}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(list, ",") {
		t, fine := parseTask(part)
		ok = ok && fine && !seen[t.Task]
		seen[t.Task] = true
		m.Tasks = append(m.Tasks, t)
	}
	if !ok || dataset == "" {
		return Mix{}, fmt.Errorf("mix %q: write DATASET:TASK=FAULTY/ALL,… as in ragtruth:qa=160/900,summary=204/900", text)
	}
	return m, nil
}

// maxMixRows keeps sums of weights exact.
const maxMixRows = 1e12

func parseTask(text string) (TaskMix, bool) {
	task, shares, named := strings.Cut(strings.TrimSpace(text), "=")
	faulty, all, both := strings.Cut(shares, "/")
	positives, err := strconv.ParseFloat(faulty, 64)
	rows, err2 := strconv.ParseFloat(all, 64)
	ok := named && both && err == nil && err2 == nil && positives >= 0 && rows >= positives && rows > 0 && rows < maxMixRows
	return TaskMix{task, positives, rows}, ok
}

// targets are the weights of the cells: of the good and of the faulty answers of each task.
func (m Mix) targets() []float64 {
	var t []float64
	for _, task := range m.Tasks {
		t = append(t, task.Rows-task.Positives, task.Positives)
	}
	return t
}

// cell is the index of a row's cell, and whether the mix has its task.
func (m Mix) cell(task string, positive bool) (int32, bool) {
	for i, t := range m.Tasks {
		if t.Task == task {
			if positive {
				return int32(2*i + 1), true
			}
			return int32(2 * i), true
		}
	}
	return 0, false
}
