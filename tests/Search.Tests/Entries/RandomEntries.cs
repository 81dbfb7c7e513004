namespace Jackdaw.Search.Tests.Entries;

/// <summary>Makes entries of all kinds of values.</summary>
internal sealed class RandomEntries(Random random)
{
    private static readonly string[] s_words =
    [
        "the",
        "and",
        "apple",
        "Pear",
        "plum",
        "QUINCE",
        "fig",
        "Olive",
        "grape",
        "lemon",
        "melon",
        "cherry",
        "mango",
        "papaya",
        "kiwi",
    ];

    private static readonly string[] s_fields = [.. IndexModel.Fields.Keys];

    public List<ModelEntry> Some() =>
        [
            .. Enumerable
                .Range(
                    0,
                    random.Next(20) == 0 ? random.Next(30)
                        : random.Next(5) == 0 ? random.Next(4)
                        : 1
                )
                .Select(_ => One()),
        ];

    /// <summary>The same entry with one value more, less, or elsewhere.</summary>
    public ModelEntry Changed(ModelEntry entry)
    {
        var values = entry.Values.ToList();
        string field = s_fields[random.Next(s_fields.Length)];
        switch (random.Next(values.Count > 0 ? 4 : 1))
        {
            case 0:
                values.Insert(random.Next(values.Count + 1), (field, Value(field)));
                break;
            case 1:
                values.RemoveAt(random.Next(values.Count));
                break;
            case 2:
                values.Insert(random.Next(values.Count), (field, random.Next(2) == 0 ? new ModelValue.Null() : new ModelValue.Number(7)));
                break;
            default:
                random.Shuffle(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(values));
                break;
        }
        return entry with { Values = values };
    }

    public ModelEntry One()
    {
        var values = new List<(string, ModelValue)>();
        foreach (string field in s_fields)
        {
            int count = random.Next(6) switch
            {
                0 => 0,
                1 => random.Next(random.Next(10) == 0 ? 60 : 4),
                _ => 1,
            };
            for (int i = 0; i < count; i++)
                values.Add((field, Value(field)));
        }
        if (random.Next(3) == 0)
            random.Shuffle(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(values));
        byte[] stored = random.Next(3) == 0 ? new byte[random.Next(100)] : [];
        random.NextBytes(stored);
        return new ModelEntry(values, stored);
    }

    private ModelValue Value(string field) =>
        random.Next(12) switch
        {
            0 => new ModelValue.Null(),
            1 => new ModelValue.EmptyArray(),
            2 => new ModelValue.Number(random.Next(3) == 0 ? (1L << 53) + random.Next(8) : random.Next(40) - 20),
            3 => new ModelValue.Fraction((random.Next(100) * 2 + 1) / 4.0 * (random.Next(2) == 0 ? 1 : -1)),
            _ when field is "Body" or "Summary" => new ModelValue.Text(Words(random.Next(random.Next(8) == 0 ? 200 : 12))),
            4 => new ModelValue.Text(new string((char)('a' + random.Next(3)), 500 + random.Next(30)) + random.Next(5)),
            5 => new ModelValue.Text(""),
            6 => new ModelValue.Text("Ärger Ωmega " + random.Next(5)),
            _ => new ModelValue.Text(
                field == "Total" ? "n" + random.Next(5) : s_words[random.Next(s_words.Length)] + "/" + random.Next(300)
            ),
        };

    private string Words(int count) =>
        string.Join(
            ' ',
            Enumerable.Range(0, count).Select(_ => s_words[random.Next(s_words.Length)] + (random.Next(4) == 0 ? random.Next(60) : ""))
        );

    /// <summary>Updates and deletions too, so that ids are sparse and terms have gone.</summary>
    public static IndexModel Fill(IndexScene scene, Random random, int sources)
    {
        var made = new RandomEntries(random);
        var model = new IndexModel();
        for (int batch = 0; batch < 4; batch++)
        {
            for (int i = 0; i < sources; i++)
            {
                string source = "docs/" + random.Next(sources);
                if (random.Next(8) == 0)
                    model.Delete(scene.Batch, source);
                else
                    model.Put(scene.Batch, source, made.Some());
            }
            scene.Commit();
        }
        return model;
    }
}
