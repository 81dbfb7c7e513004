using System.Globalization;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>The seed of a randomised test: JACKDAW_SEED when it is set, else new ones. Failures name it.</summary>
internal static class TestSeed
{
    public static void ForEach(int rounds, Action<Random> test)
    {
        var fixedSeed = Environment.GetEnvironmentVariable("JACKDAW_SEED");
        for (var i = 0; i < rounds; i++)
        {
            var seed = fixedSeed is null ? Random.Shared.Next() : int.Parse(fixedSeed, CultureInfo.InvariantCulture);
            try
            {
                test(new Random(seed));
            }
            catch (Exception error)
            {
                throw new InvalidOperationException($"JACKDAW_SEED={seed}: {error.Message}", error);
            }
            if (fixedSeed is not null)
                return;
        }
    }
}
