using Jackdaw.Simulation.Medium;

namespace Jackdaw.Simulation.Histories;

/// <summary>Draws one of several steps, each as often as its weight says.</summary>
internal sealed class WeightedSteps
{
    private readonly (string Name, Action Step)[] _steps;
    private readonly int[] _weights;
    private readonly int _total;

    public WeightedSteps(IReadOnlyList<int> weights, params (string Name, Action Step)[] steps)
    {
        _steps = steps;
        _weights = [.. weights];
        _total = _weights.Sum();
        OracleException.Require(_weights.Length == _steps.Length, "a weight for each step");
    }

    /// <summary>
    /// Weights of one seed: a usual one for each step, made more or less by up to four times. Histories that do much of one thing find what
    /// evenly mixed ones do not.
    /// </summary>
    public static int[] Draw(SimulatedRandom random, params int[] usual)
    {
        var weights = new int[usual.Length];
        for (var i = 0; i < usual.Length; i++)
            weights[i] = (usual[i] * 4 << random.Next(5)) / 16;
        return weights;
    }

    public (string Name, Action Step) Draw(SimulatedRandom random)
    {
        var drawn = random.Next(_total);
        for (var i = 0; ; i++)
        {
            drawn -= _weights[i];
            if (drawn < 0)
                return _steps[i];
        }
    }
}
