namespace Jackdaw.Storage.Tests.Journal;

/// <summary>Runs a randomised test with several <see cref="Seeds"/>, or with the given one; a failure names its seed.</summary>
internal static class TestSeed
{
    public static void ForEach(int rounds, Action<Random> test)
    {
        foreach (var seed in Enumerable.Range(0, rounds).Select(Seeds.Of).Distinct())
        {
            try
            {
                test(new Random(seed));
            }
            catch (Exception error)
            {
                throw new InvalidOperationException($"JACKDAW_SEED={seed}: {error.Message}", error);
            }
        }
    }
}
