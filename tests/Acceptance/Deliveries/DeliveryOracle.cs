namespace Jackdaw.Acceptance.Deliveries;

/// <summary>Judges what a receiver has against what the database has.</summary>
internal static class DeliveryOracle
{
    /// <summary>How many copies there are beyond the first of each message; one id with two contents fails.</summary>
    public static int Duplicates(IReadOnlyList<Arrival> arrivals)
    {
        var first = new Dictionary<string, Arrival>();
        var duplicates = 0;
        foreach (var arrival in arrivals)
        {
            if (first.TryAdd(arrival.Id, arrival))
                continue;
            Assert.Equal(first[arrival.Id], arrival);
            duplicates++;
        }
        return duplicates;
    }

    /// <summary>
    /// The first place at which the messages of a document are out of order, or null. In order is: each message is newer than all
    /// before it; or it is a copy, and then
    /// those follow that followed it before (unless one goes back once more), until there is something new. Only what remains of
    /// the same version may be left out: the
    /// document was changed again before a server that died sent it.
    /// </summary>
    public static string? Disorder(IReadOnlyList<Arrival> arrivals)
    {
        foreach (var document in arrivals.GroupBy(arrival => arrival.Subject))
        {
            var seen = new List<Arrival>();
            // The place in it that comes next.
            var next = 0;
            foreach (var arrival in document)
            {
                var place = seen.FindIndex(one => one.Id == arrival.Id);
                var isInOrder =
                    place >= 0
                        ? place <= next
                        : seen.All(one => one.Etag <= arrival.Etag) && seen.Skip(next).All(one => one.Etag == seen[next - 1].Etag);
                if (!isInOrder)
                    return $"{document.Key}: after the etags "
                        + string.Join(", ", document.TakeWhile(one => one != arrival).Select(one => one.Etag))
                        + " "
                        + $"comes {arrival.Etag} ({arrival.Id})";
                if (place < 0)
                {
                    seen.Add(arrival);
                    place = seen.Count - 1;
                }
                next = place + 1;
            }
        }
        return null;
    }
}
