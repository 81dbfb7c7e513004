using Jackdaw.Bench.Frame;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class CatalogueTests
{
    [Fact]
    public void A_benchmark_is_found_by_one_name_in_one_group()
    {
        Assert.Equal(Catalogue.All.Count, Catalogue.All.Select(benchmark => benchmark.Name).Distinct().Count());
        Assert.Equal(Catalogue.All.Count, Catalogue.Groups.Sum(group => Catalogue.InGroup(group).Count));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Contenders_have_names_of_their_own_and_targets_speak_of_them_alone(bool isQuick)
    {
        var settings = new RunSettings(isQuick, Runs: 2, SecondsOverride: null, Directory: "/");
        foreach (Benchmark benchmark in Catalogue.All)
        {
            string[] names = [.. benchmark.CreateContenders(settings).Select(contender => contender.Name)];

            Assert.Equal(names.Length, names.Distinct().Count());
            Assert.NotEmpty(benchmark.Sizes(settings));
            // A quick run leaves some of them out.
            if (!isQuick)
                Assert.All(
                    benchmark.Targets,
                    target => Assert.Contains(names, name => target.Text.StartsWith(name, StringComparison.Ordinal))
                );
        }
    }
}
