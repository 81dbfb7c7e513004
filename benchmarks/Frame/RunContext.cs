namespace Jackdaw.Bench.Frame;

/// <summary>What a contender is given for preparing and for each run.</summary>
/// <param name="Settings">Sizes and lengths.</param>
/// <param name="Directory">A folder of the contender's own, removed after the benchmark.</param>
/// <param name="Round">0 while preparing, then 1, 2, ...</param>
/// <param name="Progress">Takes a few words about long work.</param>
internal sealed record RunContext(RunSettings Settings, string Directory, int Round, Action<string> Progress);
