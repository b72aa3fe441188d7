package tune

import (
	"cmp"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/rate"
	"confab/internal/model"
)

// What end users' votes are worth. Of wrong answers they are taken to vote 65 % down, of fine ones 35 %: such a vote holds a tenth of
// what a label says (the square of .65 − .35). All together count for at most a third of the labels, which is a quarter of both.
const (
	voteAccuracy = 0.65
	voteWeight   = 0.1
	mostVotes    = 1.0 / 3
)

// Vote is what one end user says of an answer that nobody has labelled. The row's group is the conversation, its weight how many answers
// it stands for.
type Vote struct {
	measure.Row

	User string // "": unknown
	Down bool
}

// addVotes adds answers with votes, each as wrong as its risk and the vote say: a vote that contradicts the scores is seldom right. They
// enter neither the share of wrong answers nor the risk, and move no threshold further than the labels do: alone they move nothing.
func (s *sample) addVotes(votes []Vote, c *calibration.Calibration) {
	var labels kish
	for i := range s.answers {
		labels.add(s.answers[i].weight, 1)
	}
	weights, total := voteWeights(votes)
	part := min(voteWeight, mostVotes*labels.sum*labels.scale()/total)
	for i := range votes {
		row, z := votes[i].Row, model.Logit(voteAccuracy)
		if fuse(&row); !votes[i].Down {
			z = -z
		}
		if risk, known := row.Risk(c); known && risk > 0 && risk < 1 {
			z += model.Logit(risk)
		}
		wrong := model.Logistic(z + model.Logit(s.base.mean()))
		s.add(answer{row: &row, wrong: part * weights[i] * wrong, right: part * weights[i] * (1 - wrong)})
	}
}

// voteWeights are as many votes as the votes are worth (Kish, 1965), of one user at most [rate.VotesOfOne]. Votes of unknown users are
// those of the conversation.
func voteWeights(votes []Vote) (weights []float64, total float64) {
	var all kish
	for i := range votes {
		all.add(weight(&votes[i].Row), 1)
	}
	by := map[string]float64{}
	for i := range votes {
		weights = append(weights, weight(&votes[i].Row)*all.scale())
		by[cmp.Or(votes[i].User, votes[i].Group)] += weights[i]
	}
	for i := range votes {
		weights[i] *= min(1, rate.VotesOfOne/by[cmp.Or(votes[i].User, votes[i].Group)])
		total += weights[i]
	}
	return weights, total
}
