using System.Globalization;

namespace Jackdaw.Search.Ordering;

/// <summary>How matches are ordered and what each way was estimated at. It becomes a text when somebody asks.</summary>
/// <param name="Keys">Of the order.</param>
/// <param name="Walks">By the field's terms; false: by columns.</param>
/// <param name="ColumnsNanoseconds">The estimate for columns.</param>
/// <param name="WalkNanoseconds">The estimate for the terms; infinite where they cannot be walked.</param>
internal readonly record struct OrderReason(OrderKeys Keys, bool Walks, double ColumnsNanoseconds, double WalkNanoseconds)
{
    public override string ToString() =>
        Walks ? $"{Keys} by the field's terms, estimated at {Micros(WalkNanoseconds)}, by columns {Micros(ColumnsNanoseconds)}"
        : double.IsFinite(WalkNanoseconds)
            ? $"{Keys} by columns, estimated at {Micros(ColumnsNanoseconds)}, by terms {Micros(WalkNanoseconds)}"
        : $"{Keys} by columns, estimated at {Micros(ColumnsNanoseconds)}, terms cannot be walked";

    private static string Micros(double nanoseconds) => string.Create(CultureInfo.InvariantCulture, $"{nanoseconds / 1000:F0} µs");
}
