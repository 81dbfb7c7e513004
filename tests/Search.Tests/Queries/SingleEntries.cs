using Jackdaw.Search.Tests.Entries;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>Entries with one value a field: names are texts, totals are numbers, tags are either.</summary>
/// <param name="random">Makes them.</param>
/// <param name="totals">So many totals at most: more than one where several values are wanted.</param>
internal sealed class SingleEntries(Random random, int totals = 1)
{
    public ModelEntry One()
    {
        var values = new List<(string, ModelValue)>();
        Add(values, "Name", () => Text(40));
        for (int i = random.Next(totals); i >= 0; i--)
            Add(values, "Total", Number);
        Add(values, "Tags", () => random.Next(2) == 0 ? Text(15) : Number());
        return new ModelEntry(values, []);
    }

    private void Add(List<(string, ModelValue)> values, string field, Func<ModelValue> make)
    {
        ModelValue? value = random.Next(12) switch
        {
            0 => null,
            1 => new ModelValue.Null(),
            2 => new ModelValue.EmptyArray(),
            _ => make(),
        };
        if (value is not null)
            values.Add((field, value));
    }

    private ModelValue.Text Text(int count) =>
        random.Next(3) switch
        {
            0 => new ModelValue.Text("pear/" + random.Next(count)),
            1 => new ModelValue.Text("kiwi"),
            _ => new ModelValue.Text("n" + random.Next(count)),
        };

    private ModelValue Number() =>
        random.Next(4) switch
        {
            0 => new ModelValue.Number((1L << 53) + random.Next(8)),
            1 => new ModelValue.Fraction(random.Next(200) / 4.0 + 0.25),
            2 => new ModelValue.Number(7),
            _ => new ModelValue.Number(random.Next(60) - 30),
        };
}
