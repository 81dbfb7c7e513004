namespace Jackdaw.Storage.Journal;

/// <summary>The reservations not yet used, in commit order. Guarded by its owner's lock.</summary>
internal sealed class JournalReservations
{
    private readonly List<JournalReservation> _outstanding = [];

    public int Count => _outstanding.Count;

    public void Add(JournalReservation reservation) => _outstanding.Add(reservation);

    public JournalReservation? Oldest => _outstanding.Count == 0 ? null : (JournalReservation?)_outstanding[0];

    /// <summary>Gives up all of them, and returns them.</summary>
    public List<JournalReservation> Clear()
    {
        List<JournalReservation> dropped = [.. _outstanding];
        _outstanding.Clear();
        return dropped;
    }

    public void RemoveOldest() => _outstanding.RemoveAt(0);

    /// <summary>Takes out the newest reservation of so many bytes: a dropped transaction is the newest or followed by equally
    /// dropped ones.</summary>
    public JournalReservation Remove(long bytes)
    {
        var index = _outstanding.FindLastIndex(reservation => reservation.Bytes == bytes);
        Invariant.Require(index >= 0);
        var reservation = _outstanding[index];
        _outstanding.RemoveAt(index);
        return reservation;
    }

    /// <summary>
    /// Whether one more record finds room after all reserved ones, each taken at its largest: placed one after another, a file
    /// left for the next spare that
    /// is large enough when a record does not fit. Spares are passed over and never come back, here as when they are taken, so
    /// smaller records than reserved only end
    /// sooner: in the same file or an earlier one.
    /// </summary>
    public bool Fits(long bytes, long restOfCurrent, List<JournalFile> spares)
    {
        var rest = restOfCurrent;
        var nextSpare = 0;
        foreach (var reservation in _outstanding)
        {
            // After a file of its own nothing is counted on: its slack may or may not come to be used.
            if (reservation.OwnFile is not null)
                rest = 0;
            else if (!Place(reservation.Bytes))
                return false;
        }
        return Place(bytes);

        bool Place(long size)
        {
            if (size > rest)
            {
                while (nextSpare < spares.Count && spares[nextSpare].Capacity < size)
                    nextSpare++;
                if (nextSpare == spares.Count)
                    return false;
                rest = spares[nextSpare++].Capacity;
            }
            rest -= size;
            return true;
        }
    }
}
