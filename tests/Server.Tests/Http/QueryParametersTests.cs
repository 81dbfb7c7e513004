using Jackdaw.Server.Http;

namespace Jackdaw.Server.Tests.Http;

public sealed class QueryParametersTests
{
    [Theory]
    [InlineData("?&id=users%2F1-A", "users/1-A")]
    [InlineData("?id=a+b%2Bc", "a b+c")]
    [InlineData("?ID=x&", "x")]
    [InlineData("?a=1&&id=%C3%A9", "é")]
    [InlineData("?i%64=x", "x")]
    [InlineData("?id", "")]
    [InlineData("?id=a=b", "a=b")]
    public void A_value_is_found_however_the_client_writes_the_query(string query, string value) => Assert.Equal(value, Parse(query)["id"]);

    [Theory]
    [InlineData("")]
    [InlineData("?")]
    [InlineData("?&")]
    [InlineData("?idx=1&xid=2")]
    public void An_absent_name_has_no_value(string query)
    {
        Assert.Null(Parse(query)["id"]);
        Assert.False(Parse(query).Has("id"));
        Assert.Empty(Parse(query).All("id"));
    }

    [Fact]
    public void A_repeated_name_is_a_list_in_order() => Assert.Equal(["a", "b", ""], Parse("?id=a&x=1&ID=b&id=").All("id"));

    [Fact]
    public void A_bare_flag_is_true()
    {
        Assert.True(Parse("?metadataOnly").Flag("metadataOnly"));
        Assert.True(Parse("?metadataOnly=True").Flag("metadataOnly"));
        Assert.False(Parse("?metadataOnly=false").Flag("metadataOnly"));
        Assert.False(Parse("?").Flag("metadataOnly"));
        Assert.Throws<BadRequestException>(() => Parse("?metadataOnly=2").Flag("metadataOnly"));
    }

    [Fact]
    public void Paging_must_be_a_number_that_is_not_negative()
    {
        Assert.Equal(7, Parse("?start=7").NonNegative("start", 0));
        Assert.Equal(25, Parse("?start=").NonNegative("start", 25));
        Assert.Contains("start", Assert.Throws<BadRequestException>(() => Parse("?start=-1").NonNegative("start", 0)).Message);
        Assert.Contains("start", Assert.Throws<BadRequestException>(() => Parse("?start=x").NonNegative("start", 0)).Message);
    }

    [Fact]
    public void One_object_serves_request_after_request()
    {
        var query = Parse("?a=1&b=2");
        query.Reset("?b=3");
        Assert.Null(query["a"]);
        Assert.Equal("3", query["b"]);
    }

    private static QueryParameters Parse(string text)
    {
        var query = new QueryParameters();
        query.Reset(text);
        return query;
    }
}
